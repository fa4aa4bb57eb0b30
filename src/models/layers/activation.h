// The nonlinearity of a feed-forward block.
#pragma once

#include "ops/elementwise.h"

namespace kelda::models {

enum class Activation { kSilu, kGelu };

// out = act(gate) · up; out may be gate or up.
inline void gated(Activation act, Exec& x, Matrix<const float> gate, Matrix<const float> up,
                  Matrix<float> out) {
  if (act == Activation::kSilu) {
    ops::silu_mul(x, gate, up, out);
  } else {
    ops::gelu_mul(x, gate, up, out);
  }
}

}  // namespace kelda::models
