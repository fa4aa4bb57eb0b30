// A normalisation of the network, of the kind that its config names.
#pragma once

#include <span>
#include <string_view>

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::models {

// Where a block has its norm.
enum class NormPlace {
  kBefore,  // h += block(norm(h))
  kAfter,   // h = norm(h + block(h))
};

class Norm {
 public:
  // NAME.weight, and NAME.bias for a LayerNorm; name: "output_norm", "blk.3.attn_norm".
  static void tensors(const ModelConfig& c, std::string_view name, TensorList& t);
  Norm() = default;
  Norm(const Weights& w, const ModelConfig& c, std::string_view name);

  // x, y: [n_rows, hidden_size], may be the same.
  void forward(Exec& exec, Matrix<const float> x, Matrix<float> y) const;

 private:
  float eps_ = 0;
  std::span<const float> weight_, bias_;  // bias: empty for RMSNorm
};

}  // namespace kelda::models
