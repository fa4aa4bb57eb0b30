#include "models/layers/ffn.h"

#include "ops/elementwise.h"

namespace kelda::models {

void Ffn::tensors(const ModelConfig& c, const Options& options, int64_t i, TensorList& t) {
  Norm::tensors(c, block_part(i, "ffn_norm"), t);
  Linear::tensors(i, "ffn_up", c.intermediate_size, c.hidden_size, options.bias, t);
  Linear::tensors(i, "ffn_down", c.hidden_size, c.intermediate_size, options.bias, t);
}

Ffn::Ffn(const Weights& w, const ModelConfig& c, const Options&, int64_t i)
    : norm_(w, c, block_part(i, "ffn_norm")), up_(w, i, "ffn_up"), down_(w, i, "ffn_down") {}

void Ffn::forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const Matrix<float> normed = s.normed.shape(hidden.rows, c.hidden_size);
  const Matrix<float> inner = s.up.shape(hidden.rows, c.intermediate_size);
  const Matrix<float> delta = s.delta.shape(hidden.rows, c.hidden_size);
  norm_.forward(x, hidden, normed);
  up_.forward(x, normed, s.input, inner);
  ops::gelu(x, inner);
  down_.forward(x, inner, s.input, delta);
  ops::add(x, hidden, delta);
}

}  // namespace kelda::models
