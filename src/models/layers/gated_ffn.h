// The gated feed-forward block: h += W_down · (silu(W_gate x) ⊙ W_up x), x = rms_norm(h).
//   Source: Shazeer 2020 (arXiv 2002.05202), SwiGLU.
#pragma once

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/scratch.h"
#include "ops/exec.h"

namespace kelda::models {

class GatedFfn {
 public:
  static void tensors(const ModelConfig& c, int64_t layer, TensorList& t);
  GatedFfn(const Weights& w, const ModelConfig& c, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.
  void forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  std::span<const float> norm_;
  const quant::PackedMatrix &gate_, &up_, &down_;
};

}  // namespace kelda::models
