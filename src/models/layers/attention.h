// The attention block of a transformer: h += W_o · attend(rope(W_q x), rope(W_k x), W_v x), x = norm(h), and
// what families add to it or have elsewhere.
#pragma once

#include <optional>

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"

namespace kelda::models {

class Attention {
 public:
  struct Options {
    Bias qkv_bias = Bias::kNone;
    Bias output_bias = Bias::kNone;
    bool fused_qkv = false;               // one matrix attn_qkv: the rows of q, then k, then v
    bool qk_norm = false;                 // RMSNorm over each head of q and k, before they are rotated
    bool post_norm = false;               // norm of the block's result, before it is added
    NormPlace norm = NormPlace::kBefore;  // attn_norm, or after it attn_output_norm
  };
  static void tensors(const ModelConfig& c, const Options& options, int64_t layer, TensorList& t);
  Attention(const Weights& w, const ModelConfig& c, const Options& options, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.   angles: of the batch's positions;
  // null where the network does not rotate.
  void forward(const ModelConfig& c, const Batch& in, const KvLayer& kv, const ops::RopeTable* angles,
               Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  struct Qkv {
    Matrix<float> q, k, v;
  };
  Qkv project(const ModelConfig& c, Matrix<const float> normed, Scratch& s, Exec& x) const;

  NormPlace place_;
  Norm norm_;
  Linear q_, k_, v_;  // or
  Linear qkv_;
  bool fused_;
  std::span<const float> q_norm_, k_norm_;  // empty where there is none
  Linear output_;
  std::optional<Norm> post_norm_;
};

}  // namespace kelda::models
