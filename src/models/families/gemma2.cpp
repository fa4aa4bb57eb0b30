// Gemma 2: norms before and after each block, GEGLU, attention scores and logits capped by tanh, and every
// other layer with a sliding window.
// Source: Gemma Team 2024 (arXiv 2408.00118). Weights: GGUF architecture "gemma2", whose converter has added
// the 1 of (1 + w) to the norms' weights.
#include <cmath>

#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::gemma2 {
namespace {

constexpr Design kDesign = {
    .attention = {.post_norm = true},
    .feed_forward = GatedFfn::Options{.activation = Activation::kGelu, .post_norm = true},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
  read_windows(k, c, /*otherwise=*/4096, /*period=*/2);
  read_softcaps(k, c, /*attention=*/50, /*final=*/30);
  c.embedding_scale = std::sqrt(static_cast<float>(c.hidden_size));
  // The 27B model, 46 layers deep, scales by its width per head instead of the head's; files do not say so.
  constexpr int64_t kLayersOf27B = 46;
  read_attention_scale(k, c, c.n_layers == kLayersOf27B ? c.hidden_size / c.n_heads : c.head_dim);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.head_dim = 256, .n_kv_heads = 4});
  for (const char* key : {"hidden_activation", "hidden_act"}) c.only_text(key, {"gelu_pytorch_tanh"});
  c.only("attention_bias", false);
  translate_window_of_some(c, t, /*otherwise=*/4096);
  if (const int64_t window = c.integer("sliding_window", 1, UINT32_MAX, 4096); c.has("sliding_window_size"))
    c.only("sliding_window_size", static_cast<double>(window));  // its other name
  for (const auto& [cap, of_the_class] :
       {std::pair("attn_logit_softcapping", 50.0), std::pair("final_logit_softcapping", 30.0)})
    t.set_number(cap, c.number(cap, 0, 1e6, c.is_null(cap) ? 0 : of_the_class));
  translate_layer_types(c, t);
  translate_query_scalar(c, t);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "gemma2",
      .summary = "Gemma 2",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"gemma2.attention.sliding_window", uint32_t{70}},
               {"gemma2.attn_logit_softcapping", 5.0f},
               {"gemma2.final_logit_softcapping", 3.0f}},
      .huggingface = {
          .architectures = {{"Gemma2ForCausalLM", "gemma2"}},
          .tied = true,
          .config = translate,
          .names = {
              {"norm", "output_norm", Translated::kPlusOne},
              {"layers.{}.input_layernorm", "blk.{}.attn_norm", Translated::kPlusOne},
              {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm", Translated::kPlusOne},
              {"layers.{}.pre_feedforward_layernorm", "blk.{}.ffn_norm", Translated::kPlusOne},
              {"layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm", Translated::kPlusOne}}}};
  return f;
}

}  // namespace kelda::models::gemma2
