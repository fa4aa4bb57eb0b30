// Metadata keys that several architectures share. Each reads its keys, checks them and fills in the config;
// what is out of range throws kBadInput, what nobody can run kUnsupported, both naming the key.
#pragma once

#include <cstdint>

#include "config/model_config.h"
#include "models/config_keys.h"

namespace kelda::models {

// attention.layer_norm_rms_epsilon, or attention.layer_norm_epsilon of a LayerNorm.
void read_rms_norm(ConfigKeys& k, ModelConfig& c);
void read_layer_norm(ConfigKeys& k, ModelConfig& c);

// rope.freq_base, rope.dimension_count (the whole head where absent), rope.scaling.*: none, linear, yarn.
// interleaved: the order of rotated pairs in this architecture's files.
void read_rope(ConfigKeys& k, ModelConfig& c, bool interleaved);

// LongRoPE, as Phi-3's files have it: rope.freq_base, rope.dimension_count,
// rope.scaling.original_context_length and .attn_factor. The lists of factors are tensors; which of the two
// applies is settled here, for all texts: the long one where the window is larger than the original context.
void read_long_rope(ConfigKeys& k, ModelConfig& c);

// attention.scale; 1 / √width where the file does not say.
void read_attention_scale(ConfigKeys& k, ModelConfig& c, int64_t width);

// attention.sliding_window into c.windows; `otherwise` where the file has none, and 0 is none. At most the
// context: read_config() lets such windows go where no layer is told from others by them.
// attention.sliding_window_pattern: a number p (every p-th layer sees all) or a flag for each layer; where
// absent, every `period`-th layer sees all. Period 0: each layer has the window, and the key is not read.
void read_windows(ConfigKeys& k, ModelConfig& c, int64_t otherwise, int64_t period);

// attn_logit_softcapping and final_logit_softcapping; 0 is none.
void read_softcaps(ConfigKeys& k, ModelConfig& c, double attention, double final);

// pooling_type, by GGUF's numbers: absent or 0 is kNone, 1 the mean, 2 the first token. Others need a layer
// that is not here. normalize_embeddings, which GGUF files do not have: whether to bring vectors to length 1.
void read_pooling(ConfigKeys& k, ModelConfig& c);

// expert_count, expert_used_count, expert_feed_forward_length; expert_weights_norm, or `normalised` where the
// file has none.
void read_experts(ConfigKeys& k, ModelConfig& c, bool normalised);
// expert_shared_feed_forward_length; where absent, the width of a dense block.
void read_shared_expert(ConfigKeys& k, ModelConfig& c);

}  // namespace kelda::models
