// The plain feed-forward block: h += W_down · gelu(W_up x + b_up) + b_down, x = norm(h).
//   Source: Vaswani et al. 2017 (arXiv 1706.03762), eq. 2, with gelu.
#pragma once

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"

namespace kelda::models {

class Ffn {
 public:
  struct Options {
    Bias bias = Bias::kAlways;
    bool exact_gelu = false;              // by the error function, else GPT-2's approximation
    NormPlace norm = NormPlace::kBefore;  // ffn_norm, or after it layer_output_norm
  };
  static void tensors(const ModelConfig& c, const Options& options, int64_t layer, TensorList& t);
  Ffn(const Weights& w, const ModelConfig& c, const Options& options, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.
  void forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  Options options_;
  Norm norm_;
  Linear up_, down_;
};

}  // namespace kelda::models
