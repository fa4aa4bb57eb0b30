// The attention block of a pre-norm transformer: h += W_o · attend(rope(W_q x), rope(W_k x), W_v x), x =
// rms_norm(h).
#pragma once

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"

namespace kelda::models {

class Attention {
 public:
  static void tensors(const ModelConfig& c, int64_t layer, TensorList& t);
  Attention(const Weights& w, const ModelConfig& c, int64_t layer);

  // hidden: [n_rows, hidden_size], the block's result is added to it.   angles: of the batch's positions.
  void forward(const ModelConfig& c, const Batch& in, const KvLayer& kv, const ops::RopeTable& angles,
               Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  std::span<const float> norm_;
  const quant::PackedMatrix &q_, &k_, &v_, &output_;
};

}  // namespace kelda::models
