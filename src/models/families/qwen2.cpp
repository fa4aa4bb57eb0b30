// Qwen 2 and 2.5: Llama's block with biases on queries, keys and values, and rotated pairs half a head apart.
// Source: Qwen Team 2024 (arXiv 2407.10671). Weights: GGUF architecture "qwen2".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::qwen2 {
namespace {

constexpr Design kDesign = {
    .attention = {.qkv_bias = Bias::kAlways},
    .feed_forward = GatedFfn::Options{.activation = Activation::kSilu},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.n_kv_heads = 32});
  c.only_text("hidden_act", {"silu"});
  refuse_windows(c);
  c.only("use_mrope", false);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "qwen2",
      .summary = "Qwen 2 and 2.5, Qwen2.5-Coder",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .huggingface = {.architectures = {{"Qwen2ForCausalLM", "qwen2"}}, .config = translate}};
  return f;
}

}  // namespace kelda::models::qwen2
