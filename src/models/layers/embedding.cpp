#include "models/layers/embedding.h"

#include "ops/elementwise.h"
#include "ops/embed.h"

namespace kelda::models {

void Embedding::tensors(const ModelConfig& c, const Options& options, TensorList& t) {
  t.matrix("token_embd.weight", c.vocab_size, c.hidden_size);
  if (options.learned_positions) t.matrix("position_embd.weight", c.n_ctx_train, c.hidden_size);
}

Embedding::Embedding(const Weights& w, const Options& options) : table_(w.matrix("token_embd.weight")) {
  if (options.learned_positions) positions_ = &w.matrix("position_embd.weight");
}

void Embedding::forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x,
                        Matrix<float> hidden) const {
  ops::embed(x, table_, in.tokens, hidden);
  if (c.embedding_scale != 1.0f) ops::scale(x, hidden, c.embedding_scale);
  if (positions_ == nullptr) return;
  const Matrix<float> position = s.delta.shape(hidden.rows, hidden.cols);
  ops::embed(x, *positions_, in.positions, position);
  ops::add(x, hidden, position);
}

}  // namespace kelda::models
