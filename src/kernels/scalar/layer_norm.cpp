#include <cmath>

#include "kernels/scalar/kernels.h"
#include "kernels/scalar/lanes.h"

namespace kelda::kernels::scalar {

void layer_norm(const float* x, const float* w, const float* b, float eps, int64_t n, float* y) noexcept {
  float sum[kSumLanes] = {}, squares[kSumLanes] = {};
  for (int64_t i = 0; i < n; ++i) sum[i % kSumLanes] += x[i];
  const float mean = sum_lanes(sum) / static_cast<float>(n);
  for (int64_t i = 0; i < n; ++i) {
    const float d = x[i] - mean;
    squares[i % kSumLanes] = std::fma(d, d, squares[i % kSumLanes]);
  }
  const float s = 1.0f / std::sqrt(sum_lanes(squares) / static_cast<float>(n) + eps);
  for (int64_t i = 0; i < n; ++i) y[i] = std::fma((x[i] - mean) * s, w[i], b[i]);
}

}  // namespace kelda::kernels::scalar
