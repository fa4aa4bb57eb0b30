// Qwen3 with experts: Qwen3's attention, and in place of the feed-forward block many small ones of which a
// router picks a few for each token.
// Source: Qwen Team 2025 (arXiv 2505.09388), section 2. Weights: GGUF architecture "qwen3moe".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::qwen3moe {
namespace {

constexpr Design kDesign = {
    .attention = {.qk_norm = true},
    .feed_forward = MoeFfn::Options{.activation = Activation::kSilu},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
  read_experts(k, c, /*normalised=*/true);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.n_kv_heads = 4});
  c.only_text("hidden_act", {"silu"});
  c.only("attention_bias", false);
  refuse_windows(c);
  translate_experts(c, t, {"num_experts", "num_local_experts"});
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "qwen3moe",
      .summary = "Qwen3 with experts",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"qwen3moe.expert_count", uint32_t{6}},
               {"qwen3moe.expert_used_count", uint32_t{2}},
               {"qwen3moe.expert_feed_forward_length", uint32_t{64}}},
      .huggingface = {.architectures = {{"Qwen3MoeForCausalLM", "qwen3_moe"}}, .config = translate}};
  return f;
}

}  // namespace kelda::models::qwen3moe
