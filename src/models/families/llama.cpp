// Llama: a pre-norm decoder of attention and SwiGLU blocks with rotary positions. Llama 2 and 3, Mistral
// (with its sliding window where the file says so), SmolLM and others of that shape. Source: Touvron et al.
// 2023 (arXiv 2302.13971); Llama Team 2024 (arXiv 2407.21783) for stretched wavelengths, which a file gives
// as factors (rope_freqs); Jiang et al. 2023 (arXiv 2310.06825) for the window. Weights: GGUF architecture
// "llama", whose converter has permuted the rows of attn_q and attn_k so that rotated pairs are neighbours.
#include "base/error.h"
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::llama {
namespace {

constexpr Design kDesign = {
    .attention = {.qkv_bias = Bias::kIfPresent, .output_bias = Bias::kIfPresent},
    .feed_forward = GatedFfn::Options{.activation = Activation::kSilu},
    .rope_factors = true,
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/true);
  read_windows(k, c, /*otherwise=*/0, /*period=*/0);
  k.only("tensor_data_layout", "Meta AI original pth");  // the order of rows that `interleaved` takes
  k.ignore("attention.layer_norm_epsilon");              // there is no LayerNorm here, only RMSNorm
}

constexpr const char* kMistral = "MistralForCausalLM";

// The two classes differ in this: Mistral's has a window unless the file says null, Llama's has none.
void translate_windows(ConfigJson& c, Translation& t, bool is_mistral) {
  if (is_mistral) return translate_window(c, t, /*otherwise=*/4096);
  require_full_attention(c);
  if (c.has("sliding_window")) {
    fail(ErrorCode::kUnsupported, "sliding_window is {}; LlamaForCausalLM has no windows, {} has",
         c.integer("sliding_window", 0, UINT32_MAX), kMistral);
  }
}

void translate(ConfigJson& c, Translation& t) {
  const bool is_mistral = c.texts("architectures") == std::vector<std::string>{kMistral};
  translate_decoder(c, t, {.n_kv_heads = is_mistral ? 8 : 0});
  if (t.metadata.has("llama.rope.dimension_count")) {
    // A folder pairs dimensions i and i + head_dim / 2, whose rows are made neighbours: of whole heads only.
    fail(ErrorCode::kUnsupported,
         "partial_rotary_factor is below 1; this family rotates all dimensions of a head");
  }
  c.only_text("hidden_act", {"silu"});
  t.attention_bias = c.boolean("attention_bias", false);
  c.only("mlp_bias", false);
  c.only("rope_interleaved", false);
  translate_windows(c, t, is_mistral);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "llama",
      .summary = "Llama 2 and 3, Mistral, SmolLM and others of Llama's shape",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .huggingface = {.architectures = {{"LlamaForCausalLM", "llama"}, {kMistral, "mistral"}},
                      .config = translate,
                      .names = {{"layers.{}.self_attn.q_proj", "blk.{}.attn_q", Translated::kInterleaved},
                                {"layers.{}.self_attn.k_proj", "blk.{}.attn_k", Translated::kInterleaved}}}};
  return f;
}

}  // namespace kelda::models::llama
