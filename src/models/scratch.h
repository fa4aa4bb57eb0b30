// What a forward pass writes and the next one overwrites. STATE: grows to the largest pass, belongs to no
// sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/model_config.h"
#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/rope.h"
#include "tensor/buffer.h"
#include "tensor/matrix.h"

namespace kelda::models {

// A float matrix whose memory is kept from pass to pass.
class Plane {
 public:
  // [rows, cols], contents undefined.
  Matrix<float> shape(int64_t rows, int64_t cols) {
    const auto bytes = static_cast<uint64_t>(rows * cols) * sizeof(float);
    if (bytes > memory_.size()) {
      const uint64_t grown = std::max(bytes, memory_.size() + memory_.size() / 4);
      memory_ = Buffer();  // the old memory goes before the new is asked for
      memory_ = Buffer(grown);
    }
    return {memory_.as<float>(), rows, cols};
  }
  uint64_t bytes() const { return memory_.size(); }

 private:
  Buffer memory_;
};

class Scratch {
 public:
  Plane hidden;            // [n, hidden_size] the residual stream
  Plane normed;            // [n, hidden_size]
  Plane q, attended;       // [n, n_heads × head_dim]
  Plane k, v;              // [n, n_kv_heads × head_dim]
  Plane gate, up;          // [n, intermediate_size]
  Plane delta;             // [n, hidden_size] what a block adds to the residual
  ops::Activations input;  // the rows of the matmul at hand, quantised
  ops::AttentionWorkspace attention;

  // The angles of this pass for one rotary configuration; kept, so that a model with two bases has two.
  ops::RopeTable& rope(const RopeConfig& config);
  uint64_t bytes() const;

 private:
  struct Angles {
    double theta;
    ops::RopeTable table;
  };
  std::vector<Angles> angles_;
};

}  // namespace kelda::models
