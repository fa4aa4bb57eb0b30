// Rotary positions of one kind of layer: a RopeConfig, and the file's own factors where it has them, as
// frequencies.
#pragma once

#include <span>

#include "config/model_config.h"
#include "files/model_file.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "ops/rope.h"

namespace kelda::models {

// Frequencies under the config's scaling. factors: [n_rot / 2], each divides its frequency; empty = none.
//   Sources: Chen et al. 2023 (arXiv 2306.15595) linear; Peng et al. 2023 (arXiv 2309.00071), eq. 17 to 23,
//   yarn; Ding et al. 2024 (arXiv 2402.13753) with Phi-3's magnitude, longrope. Llama 3's scaling is factors.
//   Checks: the numbers that the scaling divides by are positive.
ops::RopeFrequencies scaled_frequencies(const RopeConfig& rope, std::span<const float> factors);

// The tensors that may stretch a model's wavelengths, each optional: rope_freqs (Llama 3.x), and for
// kLongRope both rope_factors_long and rope_factors_short.
void rope_tensors(const ModelConfig& c, TensorList& t);
// Whether the file has any of them.
bool has_rope_factors(const ModelFile& file);
// The factors among them that this config asks for; empty if it asks for none.
std::span<const float> rope_factors(const Weights& w, const RopeConfig& rope);

}  // namespace kelda::models
