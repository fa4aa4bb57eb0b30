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

}  // namespace kelda::ops
