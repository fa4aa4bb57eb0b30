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

}  // namespace

const Family& family() {
  static const Family f{.name = "gemma2",
                        .summary = "Gemma 2",
                        .read = read,
                        .tensors = decoder_tensors<kDesign>,
                        .bind = bind_decoder<kDesign>,
                        .tiny = {{"gemma2.attention.sliding_window", uint32_t{70}},
                                 {"gemma2.attn_logit_softcapping", 5.0f},
                                 {"gemma2.final_logit_softcapping", 3.0f}}};
  return f;
}

}  // namespace kelda::models::gemma2
