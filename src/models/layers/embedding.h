// The beginning of the network: token ids to vectors.
#pragma once

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"

namespace kelda::models {

class Embedding {
 public:
  struct Options {
    bool learned_positions = false;  // a vector for each position is added: position_embd
  };
  static void tensors(const ModelConfig& c, const Options& options, TensorList& t);
  Embedding(const Weights& w, const Options& options);

  // hidden = embedding_scale · table[token] (+ positions[position]).   hidden: [n_rows, hidden_size]
  void forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  const quant::PackedMatrix& table_;
  const quant::PackedMatrix* positions_ = nullptr;
};

}  // namespace kelda::models
