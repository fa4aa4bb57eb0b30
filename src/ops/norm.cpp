#include "ops/norm.h"

#include "ops/rows.h"

namespace kelda::ops {

void rms_norm(Exec& exec, Matrix<const float> x, std::span<const float> w, float eps, Matrix<float> y) {
  KELDA_CHECK(x.rows == y.rows && x.cols == y.cols && static_cast<int64_t>(w.size()) == x.cols && x.cols > 0);
  for_pieces(exec, x.rows, 0.15 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r)
      exec.kernels.rms_norm(x.row(r), w.data(), eps, x.cols, y.row(r));
  });
}

void rms_norm_heads(Exec& exec, Matrix<float> x, std::span<const float> w, float eps) {
  const auto head_dim = static_cast<int64_t>(w.size());
  KELDA_CHECK(head_dim > 0 && x.cols % head_dim == 0);
  for_pieces(exec, x.rows, 0.15 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) {
      for (float* head = x.row(r); head < x.row(r) + x.cols; head += head_dim)
        exec.kernels.rms_norm(head, w.data(), eps, head_dim, head);
    }
  });
}

void layer_norm(Exec& exec, Matrix<const float> x, std::span<const float> w, std::span<const float> b,
                float eps, Matrix<float> y) {
  KELDA_CHECK(x.rows == y.rows && x.cols == y.cols && x.cols > 0);
  KELDA_CHECK(static_cast<int64_t>(w.size()) == x.cols && static_cast<int64_t>(b.size()) == x.cols);
  for_pieces(exec, x.rows, 0.2 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r)
      exec.kernels.layer_norm(x.row(r), w.data(), b.data(), eps, x.cols, y.row(r));
  });
}

}  // namespace kelda::ops
