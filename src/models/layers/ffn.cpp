#include "models/layers/ffn.h"

#include "ops/elementwise.h"

namespace kelda::models {
namespace {

std::string_view norm_name(NormPlace place) {
  return place == NormPlace::kBefore ? "ffn_norm" : "layer_output_norm";
}

}  // namespace

void Ffn::tensors(const ModelConfig& c, const Options& options, int64_t i, TensorList& t) {
  Norm::tensors(c, block_part(i, norm_name(options.norm)), t);
  Linear::tensors(i, "ffn_up", c.intermediate_size, c.hidden_size, options.bias, t);
  Linear::tensors(i, "ffn_down", c.hidden_size, c.intermediate_size, options.bias, t);
}

Ffn::Ffn(const Weights& w, const ModelConfig& c, const Options& options, int64_t i)
    : options_(options),
      norm_(w, c, block_part(i, norm_name(options.norm))),
      up_(w, i, "ffn_up"),
      down_(w, i, "ffn_down") {}

void Ffn::forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const {
  Matrix<float> input = hidden;
  const Matrix<float> inner = s.up.shape(hidden.rows, c.intermediate_size);
  const Matrix<float> delta = s.delta.shape(hidden.rows, c.hidden_size);
  if (options_.norm == NormPlace::kBefore) {
    input = s.normed.shape(hidden.rows, c.hidden_size);
    norm_.forward(x, hidden, input);
  }
  up_.forward(x, input, s.input, inner);
  options_.exact_gelu ? ops::gelu_exact(x, inner) : ops::gelu(x, inner);
  down_.forward(x, inner, s.input, delta);
  ops::add(x, hidden, delta);
  if (options_.norm == NormPlace::kAfter) norm_.forward(x, hidden, hidden);
}

}  // namespace kelda::models
