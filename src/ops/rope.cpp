#include "ops/rope.h"

#include "base/math.h"
#include "ops/rows.h"

namespace kelda::ops {

RopeFrequencies rope_frequencies(int64_t n_rot, double theta) {
  KELDA_CHECK(n_rot > 0 && n_rot % 2 == 0 && theta > 0);
  const double log_theta = log_f64(theta);
  RopeFrequencies f;
  for (int64_t i = 0; i < n_rot; i += 2) {
    f.per_token.push_back(exp_f64(-log_theta * static_cast<double>(i) / static_cast<double>(n_rot)));
  }
  return f;
}

void RopeTable::fill(Exec& exec, const RopeFrequencies& frequencies, std::span<const int32_t> positions) {
  n_rows_ = static_cast<int64_t>(positions.size());
  const auto pairs = static_cast<int64_t>(frequencies.per_token.size());
  n_rot_ = 2 * pairs;
  if (static_cast<int64_t>(sin_.size()) < n_rows_ * pairs) {  // the one that grows last: memory may run out
    cos_.resize(static_cast<std::size_t>(n_rows_ * pairs));
    sin_.resize(static_cast<std::size_t>(n_rows_ * pairs));
  }
  for_pieces(exec, n_rows_, 100.0 * static_cast<double>(pairs), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) {
      const double position = positions[static_cast<std::size_t>(r)];
      for (int64_t i = 0; i < pairs; ++i) {
        const SinCos angle = sincos_f64(position * frequencies.per_token[static_cast<std::size_t>(i)]);
        cos_[static_cast<std::size_t>(r * pairs + i)] = static_cast<float>(angle.cos * frequencies.magnitude);
        sin_[static_cast<std::size_t>(r * pairs + i)] = static_cast<float>(angle.sin * frequencies.magnitude);
      }
    }
  });
}

void rope(Exec& exec, const RopeTable& table, Matrix<float> x, int64_t n_heads, int64_t head_dim,
          int64_t n_rot, bool interleaved) {
  KELDA_CHECK(x.rows == table.n_rows() && x.cols == n_heads * head_dim);
  KELDA_CHECK(n_rot == table.n_rot() && n_rot <= head_dim);
  for_pieces(exec, x.rows, 0.2 * static_cast<double>(n_heads * n_rot), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) {
      for (int64_t h = 0; h < n_heads; ++h) {
        exec.kernels.rope(x.row(r) + h * head_dim, table.cos(r), table.sin(r), n_rot, interleaved);
      }
    }
  });
}

}  // namespace kelda::ops
