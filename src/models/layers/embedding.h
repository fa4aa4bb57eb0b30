// The beginning of the network: token ids to vectors.
#pragma once

#include <optional>
#include <vector>

#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/layers/norm.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"

namespace kelda::models {

class Embedding {
 public:
  struct Options {
    bool learned_positions = false;  // a vector for each position is added: position_embd
    bool token_types = false;        // one for each segment of the text: token_types
    bool norm = false;               // the sum is normalised: token_embd_norm
  };
  static void tensors(const ModelConfig& c, const Options& options, TensorList& t);
  Embedding(const Weights& w, const ModelConfig& c, const Options& options);

  // hidden = norm(embedding_scale · table[token] + types[0] + positions[position]), as far as there are such:
  // a text is one segment, the first.   hidden: [n_rows, hidden_size]
  void forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x, Matrix<float> hidden) const;

 private:
  const quant::PackedMatrix& table_;
  std::vector<float> first_type_;  // [hidden_size]; empty where there are none
  const quant::PackedMatrix* positions_ = nullptr;
  std::optional<Norm> norm_;
};

}  // namespace kelda::models
