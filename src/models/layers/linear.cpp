#include "models/layers/linear.h"

#include "ops/elementwise.h"

namespace kelda::models {

void Linear::tensors(int64_t layer, std::string_view what, int64_t rows, int64_t cols, Bias bias,
                     TensorList& t, std::string_view group) {
  t.matrix(block_tensor(layer, what), rows, cols);
  if (bias == Bias::kAlways) t.vector(block_tensor(layer, what, "bias"), rows);
  if (bias == Bias::kIfPresent) t.optional_vector(block_tensor(layer, what, "bias"), rows, group);
}

Linear::Linear(const Weights& w, int64_t layer, std::string_view what)
    : weight_(&w.matrix(block_tensor(layer, what))) {
  const std::string bias = block_tensor(layer, what, "bias");
  if (w.has(bias)) bias_ = w.vector(bias);
}

void Linear::add_bias(Exec& exec, Matrix<float> y) const {
  if (!bias_.empty()) ops::add_bias(exec, y, bias_);
}

void Linear::forward(Exec& exec, Matrix<const float> x, ops::Activations& input, Matrix<float> y) const {
  input.set(exec, x, quantized());
  ops::matmul(exec, *weight_, input, y);
  add_bias(exec, y);
}

}  // namespace kelda::models
