// The end of the network: logits = W_output · norm(h), capped where the config says so, for the rows that ask
// for them.
#pragma once

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"

namespace kelda::models {

class Head {
 public:
  // output.weight, or the embedding table where the file has none (tied).
  static void tensors(const ModelConfig& c, TensorList& t);
  Head(const Weights& w, const ModelConfig& c);

  //   hidden: [n_rows, hidden_size]   logits: [in.logit_rows.size(), vocab_size]
  void forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x, Matrix<const float> hidden,
               Matrix<float> logits) const;

 private:
  Norm norm_;
  const quant::PackedMatrix& output_;
};

}  // namespace kelda::models
