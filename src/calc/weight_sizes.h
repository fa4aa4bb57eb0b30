// Weights in bytes by the number of bits, and what rounding to few bits does.
#pragma once

#include <cstdint>

#include "config/model_config.h"

namespace kelda::calc {

struct WeightSize {
  int bits = 0;
  uint64_t nominal_bytes = 0;  // bits × parameters
  uint64_t scaled_bytes = 0;   // with an fp16 scale per 32 weights; the same as nominal at 16 bits
};
// bits: 4, 8 or 16. Throws kUsage beyond 64 bits.
WeightSize weight_size(int64_t n_parameters, int bits);

// Of a decoder with gated feed-forward blocks and a head that is its table of tokens; norms left out:
//   n_layers × width × (2 heads × head_dim + 2 KV heads × head_dim + 3 intermediate) + vocabulary × width.
// Throws kUsage beyond 63 bits.
int64_t decoder_parameters(const ModelConfig& c);

// The distance of two neighbouring codes where `largest` is the largest weight and codes are symmetric:
// largest / (2^(bits − 1) − 1). bits ≥ 2.
double code_step(int bits, double largest);

}  // namespace kelda::calc
