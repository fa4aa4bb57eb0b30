// Rotary position embedding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// How fast each pair of dimensions turns. Made once, at load.
struct RopeFrequencies {
  std::vector<double> per_token;  // [n_rot / 2] radians per position
  double magnitude = 1.0;         // cosines and sines are multiplied by it
};
// frequency i = theta^(−2i / n_rot), in double. n_rot: rotated dimensions of a head, even and positive. theta
// > 0.
RopeFrequencies rope_frequencies(int64_t n_rot, double theta);

// Cosine and sine of every row's angles, the same for all layers of a pass. STATE.
//   angle(row, i) = position × frequency i; cosine and sine × magnitude in double, then rounded once to
//   float.
class RopeTable {
 public:
  // Computes the rows of a pass; room is kept for the next.
  void fill(Exec& exec, const RopeFrequencies& frequencies, std::span<const int32_t> positions);

  int64_t n_rot() const { return n_rot_; }
  int64_t n_rows() const { return n_rows_; }
  const float* cos(int64_t row) const { return cos_.data() + row * n_rot() / 2; }  // [n_rot / 2]
  const float* sin(int64_t row) const { return sin_.data() + row * n_rot() / 2; }
  uint64_t bytes() const { return (cos_.capacity() + sin_.capacity()) * sizeof(float); }

 private:
  std::vector<float> cos_, sin_;
  int64_t n_rot_ = 0;
  int64_t n_rows_ = 0;
};

// Rotates the first n_rot dimensions of every head of every row in place, by the row's angles in `table`.
//   x: [n_rows, n_heads × head_dim], n_rows == table.n_rows().   interleaved: pairs (2i, 2i+1), else (i, i +
//   n_rot/2). Source: Su et al. 2021 (arXiv 2104.09864), eq. 34.
void rope(Exec& exec, const RopeTable& table, Matrix<float> x, int64_t n_heads, int64_t head_dim,
          int64_t n_rot, bool interleaved);

}  // namespace kelda::ops
