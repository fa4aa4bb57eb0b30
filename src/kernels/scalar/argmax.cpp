#include "kernels/scalar/kernels.h"

namespace kelda::kernels::scalar {

// 0 where every element is NaN.
int64_t argmax(const float* x, int64_t n) noexcept {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] == x[i] && (best < 0 || x[i] > x[best])) best = i;
  }
  return best < 0 ? 0 : best;
}

}  // namespace kelda::kernels::scalar
