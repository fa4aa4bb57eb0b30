// The gated feed-forward block: h += W_down · (act(W_gate x) ⊙ W_up x), x = norm(h).
//   Source: Shazeer 2020 (arXiv 2002.05202): SwiGLU with silu, GEGLU with gelu.
#pragma once

#include <optional>

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/activation.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"

namespace kelda::models {

class GatedFfn {
 public:
  struct Options {
    Activation activation = Activation::kSilu;
    bool fused_gate_up = false;  // ffn_up holds the rows of the gate, then those of up
    bool post_norm = false;      // norm of the block's result, before it is added
  };
  static void tensors(const ModelConfig& c, const Options& options, int64_t layer, TensorList& t);
  GatedFfn(const Weights& w, const ModelConfig& c, const Options& options, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.
  void forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  Options options_;
  Norm norm_;
  Linear gate_;  // not where fused
  Linear up_, down_;
  std::optional<Norm> post_norm_;
};

}  // namespace kelda::models
