// Rotary positions as a config.json states them: rope_theta and rope_scaling, or rope_parameters, which
// newer files have instead of both.
#pragma once

#include <cstdint>

#include "models/huggingface/huggingface.h"

namespace kelda::models {

// Sets context_length and the rope.* keys; tensors of factors where the scaling is one of them (llama3,
// longrope). Throws kUnsupported naming the setting for other scalings.
void translate_rope(ConfigJson& config, Translation& t, int64_t head_dim);

}  // namespace kelda::models
