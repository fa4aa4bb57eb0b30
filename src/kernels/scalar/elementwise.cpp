#include "base/math.h"
#include "kernels/scalar/kernels.h"

namespace kelda::kernels::scalar {

void add(float* x, const float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] += y[i];
}

void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  for (int64_t i = 0; i < n; ++i) {
    const float g = gate[i];
    out[i] = g / (1.0f + exp2_f32(-g * kLog2E)) * up[i];
  }
}

}  // namespace kelda::kernels::scalar
