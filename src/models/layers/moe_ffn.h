// The mixture-of-experts block: h += Σ over the chosen experts of weight · W_down (silu(W_gate x) ⊙ W_up x),
// x = norm(h), the weights by a softmax of W_router x; with a shared expert, which every token takes, plus
// sigmoid(w_shared x) times its result.
//   Source: Shazeer et al. 2017 (arXiv 1701.06538); Fedus et al. 2021 (arXiv 2101.03961); Dai et al. 2024
//   (arXiv 2401.06066) for shared experts, Qwen Team 2024 (arXiv 2407.10671) for the gate of theirs.
#pragma once

#include <span>

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/activation.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"

namespace kelda::models {

class MoeFfn {
 public:
  struct Options {
    Activation activation = Activation::kSilu;
    bool shared_expert = false;
  };
  // Experts are stacked: ffn_gate_exps [n_experts, expert_intermediate_size, hidden_size] and so on.
  static void tensors(const ModelConfig& c, const Options& options, int64_t layer, TensorList& t);
  MoeFfn(const Weights& w, const ModelConfig& c, const Options& options, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.
  void forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  // One expert over the rows that chose it.   in, out: [n, hidden_size]
  void run_expert(std::size_t expert, const ModelConfig& c, Scratch& s, Exec& x, Matrix<const float> in,
                  Matrix<float> out) const;

  // The shared one over all rows, added to the others' sum.   in, sum: [n, hidden_size]
  void add_shared_expert(const ModelConfig& c, Scratch& s, Exec& x, Matrix<const float> in,
                         Matrix<float> sum) const;

  Options options_;
  Norm norm_;
  Linear router_;
  std::span<const quant::PackedMatrix> gate_, up_, down_;         // [n_experts]
  Linear shared_router_, shared_gate_, shared_up_, shared_down_;  // where there is one
};

}  // namespace kelda::models
