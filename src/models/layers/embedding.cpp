#include "models/layers/embedding.h"

#include "ops/elementwise.h"
#include "ops/embed.h"

namespace kelda::models {

void Embedding::tensors(const ModelConfig& c, const Options& options, TensorList& t) {
  t.matrix("token_embd.weight", c.vocab_size, c.hidden_size);
  if (options.token_types) t.matrix("token_types.weight", c.n_token_types, c.hidden_size);
  if (options.learned_positions) t.matrix("position_embd.weight", c.n_ctx_train, c.hidden_size);
  if (options.norm) Norm::tensors(c, "token_embd_norm", t);
}

Embedding::Embedding(const Weights& w, const ModelConfig& c, const Options& options)
    : table_(w.matrix("token_embd.weight")) {
  if (options.token_types) {
    first_type_.resize(static_cast<std::size_t>(c.hidden_size));
    w.matrix("token_types.weight").unpack_row(0, first_type_.data());
  }
  if (options.learned_positions) positions_ = &w.matrix("position_embd.weight");
  if (options.norm) norm_.emplace(w, c, "token_embd_norm");
}

void Embedding::forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x,
                        Matrix<float> hidden) const {
  ops::embed(x, table_, in.tokens, hidden);
  if (c.embedding_scale != 1.0f) ops::scale(x, hidden, c.embedding_scale);
  if (!first_type_.empty()) ops::add_bias(x, hidden, first_type_);
  if (positions_ != nullptr) {
    const Matrix<float> position = s.delta.shape(hidden.rows, hidden.cols);
    ops::embed(x, *positions_, in.positions, position);
    ops::add(x, hidden, position);
  }
  if (norm_) norm_->forward(x, hidden, hidden);
}

}  // namespace kelda::models
