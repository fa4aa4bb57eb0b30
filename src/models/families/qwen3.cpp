// Qwen3, dense: Llama's block with an RMSNorm on every head of q and k before they are rotated, and a width
// of heads of its own. Source: Qwen Team 2025 (arXiv 2505.09388). Weights: GGUF architecture "qwen3".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::qwen3 {
namespace {

constexpr Design kDesign = {
    .attention = {.qk_norm = true},
    .feed_forward = GatedFfn::Options{.activation = Activation::kSilu},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.head_dim = 128, .n_kv_heads = 32});
  c.only_text("hidden_act", {"silu"});
  c.only("attention_bias", false);
  refuse_windows(c);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "qwen3",
      .summary = "Qwen3, dense",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .huggingface = {.architectures = {{"Qwen3ForCausalLM", "qwen3"}}, .config = translate}};
  return f;
}

}  // namespace kelda::models::qwen3
