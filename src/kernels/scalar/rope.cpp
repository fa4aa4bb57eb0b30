#include <cmath>

#include "kernels/scalar/kernels.h"

namespace kelda::kernels::scalar {

void rope(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept {
  const int64_t half = n / 2;
  for (int64_t i = 0; i < half; ++i) {
    float& a = interleaved ? x[2 * i] : x[i];
    float& b = interleaved ? x[2 * i + 1] : x[i + half];
    const float a2 = std::fma(a, cos[i], -(b * sin[i]));
    const float b2 = std::fma(a, sin[i], b * cos[i]);
    a = a2;
    b = b2;
  }
}

}  // namespace kelda::kernels::scalar
