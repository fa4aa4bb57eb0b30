// Phi-3, Phi-3.5 and Phi-4: Llama's block with q, k and v in one matrix, gate and up in another, rotation of
// a part of each head where the file says so, and LongRoPE beyond the original context. Source: Abdin et al.
// 2024 (arXiv 2404.14219); Ding et al. 2024 (arXiv 2402.13753). Weights: GGUF architecture "phi3".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::phi3 {
namespace {

constexpr Design kDesign = {
    .attention = {.fused_qkv = true},
    .feed_forward = GatedFfn::Options{.activation = Activation::kSilu, .fused_gate_up = true},
    .rope_factors = true,
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_long_rope(k, c);
  read_windows(k, c, /*otherwise=*/0, /*period=*/0);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.original_context = 4096});
  c.only_text("hidden_act", {"silu"});
  for (const char* flag : {"attention_bias", "mlp_bias", "lm_head_bias"}) c.only(flag, false);
  for (const char* of_phi4 : {"full_attn_mod", "interpolate_factor"}) c.only(of_phi4, 1.0);
  translate_window(c, t, /*otherwise=*/0);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "phi3",
      .summary = "Phi-3, Phi-3.5, Phi-4",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"phi3.attention.sliding_window", uint32_t{70}}, {"phi3.rope.dimension_count", uint32_t{24}}},
      .huggingface = {.architectures = {{"Phi3ForCausalLM", "phi3"}},
                      .config = translate,
                      .names = {{"layers.{}.self_attn.qkv_proj", "blk.{}.attn_qkv"},
                                {"layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"}}}};
  return f;
}

}  // namespace kelda::models::phi3
