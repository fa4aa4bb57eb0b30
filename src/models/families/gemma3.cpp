// Gemma 3, text: norms before and after each block and on the heads of q and k, GEGLU, five layers with a
// sliding window and a rotary base of 10,000 for each one that sees all.
// Source: Gemma Team 2025 (arXiv 2503.19786). Weights: GGUF architecture "gemma3", whose converter has added
// the 1 of (1 + w) to the norms' weights.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::gemma3 {
namespace {

constexpr Design kDesign = {
    .attention = {.qk_norm = true, .post_norm = true},
    .feed_forward = GatedFfn::Options{.activation = Activation::kGelu, .post_norm = true},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
  read_windows(k, c, /*otherwise=*/0, /*period=*/6);
  read_softcaps(k, c, /*attention=*/0, /*final=*/0);
  c.embedding_scale = std::sqrt(static_cast<float>(c.hidden_size));
  // Scaling is for the layers that see all.
  c.local_rope = std::any_of(c.windows.begin(), c.windows.end(), [](int64_t w) { return w > 0; });
  c.rope_windowed = {.theta = k.number("rope.freq_base_swa", 1e-3, 1e12, 10000.0), .n_rot = c.rope.n_rot};
  // The 27B model, 62 layers deep, scales by its width per head instead of the head's; files do not say so.
  constexpr int64_t kLayersOf27B = 62;
  read_attention_scale(k, c, c.n_layers == kLayersOf27B ? c.hidden_size / c.n_heads : c.head_dim);
}

// Older files' name for the base of layers with a window.
void translate_local_base(ConfigJson& c, Translation& t) {
  constexpr std::string_view kOurs = "gemma3.rope.freq_base_swa";
  if (!c.has("rope_local_base_freq")) return;
  const double base = c.number("rope_local_base_freq", 1e-3, 1e12);
  const double newer = t.metadata.number(kOurs, 0, 1e12, base);
  if (static_cast<float>(base) != static_cast<float>(newer)) {
    fail(ErrorCode::kBadInput,
         "rope_local_base_freq is {} and sliding_attention.rope_theta is {}: they must be the same", base,
         newer);
  }
  t.set_number("rope.freq_base_swa", base);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.rope_base = 1e6, .head_dim = 256, .n_kv_heads = 4});
  c.only_text("hidden_activation", {"gelu_pytorch_tanh"});
  for (const char* flag : {"attention_bias", "use_bidirectional_attention"}) c.only(flag, false);
  translate_window_of_some(c, t, /*otherwise=*/4096);
  c.only("attn_logit_softcapping", 0.0);
  t.set_number("final_logit_softcapping", c.number("final_logit_softcapping", 0, 1e6, 0));
  translate_local_base(c, t);
  // Older files say how often a layer sees all, newer ones which layers do.
  if (const auto period = c.integer_under({"sliding_window_pattern", "_sliding_window_pattern"}, 1, 4096))
    t.set_integer("attention.sliding_window_pattern", *period);
  translate_layer_types(c, t);
  translate_query_scalar(c, t);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "gemma3",
      .summary = "Gemma 3, text",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"gemma3.attention.sliding_window", uint32_t{70}},
               {"gemma3.attention.sliding_window_pattern", uint32_t{2}},
               {"gemma3.rope.freq_base", 1e6f}},
      .huggingface = {
          .architectures = {{"Gemma3ForCausalLM", "gemma3_text"}},
          .tied = true,
          .config = translate,
          .names = {
              {"norm", "output_norm", Translated::kPlusOne},
              {"layers.{}.input_layernorm", "blk.{}.attn_norm", Translated::kPlusOne},
              {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm", Translated::kPlusOne},
              {"layers.{}.pre_feedforward_layernorm", "blk.{}.ffn_norm", Translated::kPlusOne},
              {"layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm", Translated::kPlusOne},
              {"layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm", Translated::kPlusOne},
              {"layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm", Translated::kPlusOne}}}};
  return f;
}

}  // namespace kelda::models::gemma3
