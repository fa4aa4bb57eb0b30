#include "models/layers/decoder.h"

#include "models/layers/rotary.h"

namespace kelda::models {
namespace {

// The layer that an options struct is of.
template <typename Options>
struct LayerOf;
template <>
struct LayerOf<GatedFfn::Options> {
  using Type = GatedFfn;
};
template <>
struct LayerOf<MoeFfn::Options> {
  using Type = MoeFfn;
};
template <>
struct LayerOf<Ffn::Options> {
  using Type = Ffn;
};

}  // namespace

void Decoder::tensors(const ModelConfig& c, const Design& design, TensorList& t) {
  Embedding::tensors(c, design.embedding, t);
  if (design.rope_factors) rope_tensors(c, t);
  for (int64_t i = 0; i < c.n_layers; ++i) {
    Attention::tensors(c, design.attention, i, t);
    std::visit(
        [&](const auto& options) {
          LayerOf<std::remove_cvref_t<decltype(options)>>::Type::tensors(c, options, i, t);
        },
        design.feed_forward);
  }
  Head::tensors(c, t);
}

Decoder::Decoder(const Weights& w, const ModelConfig& c, const Design& design)
    : c_(c), embedding_(w, c, design.embedding), head_(w, c) {
  if (c.rope.n_rot > 0) {
    const bool has_factors = design.rope_factors;
    frequencies_ =
        scaled_frequencies(c.rope, has_factors ? rope_factors(w, c.rope) : std::span<const float>());
  }
  if (c.local_rope) local_frequencies_ = scaled_frequencies(c.rope_windowed, {});
  for (int64_t i = 0; i < c.n_layers; ++i) {
    std::visit(
        [&](const auto& options) {
          using Layer = typename LayerOf<std::remove_cvref_t<decltype(options)>>::Type;
          blocks_.push_back({Attention(w, c, design.attention, i), Layer(w, c, options, i),
                             c.local_rope && c.windows[static_cast<std::size_t>(i)] > 0});
        },
        design.feed_forward);
  }
}

// (learned, config, input, state) → logits. Read it as the paper's figure.
void Decoder::forward(const Batch& in, KvCache& kv, Scratch& s, Exec& x, Matrix<float> logits) const {
  const Matrix<float> h = s.hidden.shape(in.n_rows(), c_.hidden_size);
  if (c_.rope.n_rot > 0) s.angles.fill(x, frequencies_, in.positions);
  if (c_.local_rope) s.local_angles.fill(x, local_frequencies_, in.positions);
  embedding_.forward(c_, in, s, x, h);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const ops::RopeTable* angles = c_.rope.n_rot == 0 ? nullptr : block.local ? &s.local_angles : &s.angles;
    const KvLayer cache = kv.layer(static_cast<int64_t>(i));
    block.attention.forward(c_, in, cache, angles, s, x, h);  // h += attention(norm(h))
    std::visit([&](const auto& ffn) { ffn.forward(c_, s, x, h); }, block.feed_forward);  // h += ffn(norm(h))
  }
  head_.forward(c_, in, s, x, h, logits);
}

}  // namespace kelda::models
