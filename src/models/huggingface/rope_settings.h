// Rotary positions as a config.json states them: rope_theta and rope_scaling, or rope_parameters, which
// newer files have instead of both.
#pragma once

#include <cstdint>

#include "models/huggingface/huggingface.h"

namespace kelda::models {

// Sets context_length and the rope.* keys; tensors of factors where the scaling is one of them (llama3,
// longrope). default_base: where the file has none. Throws kUnsupported naming the setting for other
// scalings, kBadInput for a number that is there twice and not the same.
// default_original: positions before a scaling where the file has none, 0: as many as the context.
void translate_rope(ConfigJson& config, Translation& t, int64_t head_dim, double default_base = 10000,
                    int64_t default_original = 0);

}  // namespace kelda::models
