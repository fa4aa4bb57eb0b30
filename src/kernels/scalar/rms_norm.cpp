#include <cmath>

#include "kernels/scalar/kernels.h"
#include "kernels/scalar/lanes.h"

namespace kelda::kernels::scalar {

void rms_norm(const float* x, const float* w, float eps, int64_t n, float* y) noexcept {
  float lane[kSumLanes] = {};
  for (int64_t i = 0; i < n; ++i) lane[i % kSumLanes] = std::fma(x[i], x[i], lane[i % kSumLanes]);
  const float s = 1.0f / std::sqrt(sum_lanes(lane) / static_cast<float>(n) + eps);
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] * s) * w[i];
}

}  // namespace kelda::kernels::scalar
