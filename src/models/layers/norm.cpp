#include "models/layers/norm.h"

#include <string>

#include "ops/norm.h"

namespace kelda::models {

void Norm::tensors(const ModelConfig& c, std::string_view name, TensorList& t) {
  t.vector(std::string(name) + ".weight", c.hidden_size);
  if (c.norm == NormKind::kLayer) t.vector(std::string(name) + ".bias", c.hidden_size);
}

Norm::Norm(const Weights& w, const ModelConfig& c, std::string_view name)
    : eps_(c.norm_eps), weight_(w.vector(std::string(name) + ".weight")) {
  if (c.norm == NormKind::kLayer) bias_ = w.vector(std::string(name) + ".bias");
}

void Norm::forward(Exec& exec, Matrix<const float> x, Matrix<float> y) const {
  if (bias_.empty()) {
    ops::rms_norm(exec, x, weight_, eps_, y);
  } else {
    ops::layer_norm(exec, x, weight_, bias_, eps_, y);
  }
}

}  // namespace kelda::models
