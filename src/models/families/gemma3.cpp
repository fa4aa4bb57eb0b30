// Gemma 3, text: norms before and after each block and on the heads of q and k, GEGLU, five layers with a
// sliding window and a rotary base of 10,000 for each one that sees all.
// Source: Gemma Team 2025 (arXiv 2503.19786). Weights: GGUF architecture "gemma3", whose converter has added
// the 1 of (1 + w) to the norms' weights.
#include <algorithm>
#include <cmath>

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

}  // namespace

const Family& family() {
  static const Family f{.name = "gemma3",
                        .summary = "Gemma 3, text",
                        .read = read,
                        .tensors = decoder_tensors<kDesign>,
                        .bind = bind_decoder<kDesign>,
                        .tiny = {{"gemma3.attention.sliding_window", uint32_t{70}},
                                 {"gemma3.attention.sliding_window_pattern", uint32_t{2}},
                                 {"gemma3.rope.freq_base", 1e6f}}};
  return f;
}

}  // namespace kelda::models::gemma3
