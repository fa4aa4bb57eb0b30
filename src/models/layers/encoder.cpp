#include "models/layers/encoder.h"

namespace kelda::models {

void Encoder::tensors(const ModelConfig& c, const EncoderDesign& design, TensorList& t) {
  Embedding::tensors(c, design.embedding, t);
  for (int64_t i = 0; i < c.n_layers; ++i) {
    Attention::tensors(c, design.attention, i, t);
    Ffn::tensors(c, design.feed_forward, i, t);
  }
}

Encoder::Encoder(const Weights& w, const ModelConfig& c, const EncoderDesign& design)
    : c_(c), embedding_(w, c, design.embedding) {
  for (int64_t i = 0; i < c.n_layers; ++i) {
    blocks_.push_back({Attention(w, c, design.attention, i), Ffn(w, c, design.feed_forward, i)});
  }
}

// Every layer writes its keys and values over those of the one before: nobody looks at them again.
void Encoder::encode(const Batch& in, KvCache& kv, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const KvLayer room = kv.layer(0);
  embedding_.forward(c_, in, s, x, hidden);
  for (const Block& block : blocks_) {
    block.attention.forward(c_, in, room, nullptr, s, x, hidden);
    block.feed_forward.forward(c_, s, x, hidden);
  }
}

}  // namespace kelda::models
