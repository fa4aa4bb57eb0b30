// What a forward pass writes and the next one overwrites. STATE: grows to the largest pass, belongs to no
// sequence.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/experts.h"
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
  Plane q, attended;       // [n, n_heads × head_dim]; q also holds fused q, k and v
  Plane k, v;              // [n, n_kv_heads × head_dim]
  Plane gate, up;          // [n, intermediate_size]; gate also holds fused gate and up
  Plane delta;             // [n, hidden_size] what a block adds to the residual
  ops::Activations input;  // the rows of the matmul at hand, quantised
  ops::AttentionWorkspace attention;
  ops::RopeTable angles, local_angles;  // of the pass's positions; local: of layers that have their own

  ops::ExpertChoices choices;
  Plane router;                 // [n, n_experts]
  Plane expert_in, expert_out;  // [n × n_experts_used, hidden_size]

  uint64_t bytes() const;
};

}  // namespace kelda::models
