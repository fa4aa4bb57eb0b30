// GPT-2: LayerNorm, learned positions, biases everywhere, a plain feed-forward block with gelu.
// Source: Radford et al. 2019, "Language models are unsupervised multitask learners". Weights: GGUF
// architecture "gpt2".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::gpt2 {
namespace {

constexpr Design kDesign = {
    .embedding = {.learned_positions = true},
    .attention = {.qkv_bias = Bias::kAlways, .output_bias = Bias::kAlways, .fused_qkv = true},
    .feed_forward = Ffn::Options{.bias = Bias::kAlways},
};

void read(ConfigKeys& k, ModelConfig& c) { read_layer_norm(k, c); }

}  // namespace

const Family& family() {
  static const Family f{.name = "gpt2",
                        .summary = "GPT-2",
                        .read = read,
                        .tensors = decoder_tensors<kDesign>,
                        .bind = bind_decoder<kDesign>,
                        .tiny = {{"gpt2.attention.layer_norm_epsilon", 1e-5f}}};
  return f;
}

}  // namespace kelda::models::gpt2
