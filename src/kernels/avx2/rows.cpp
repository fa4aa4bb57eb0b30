#include "kernels/vector/rows.h"

#include "kernels/avx2/kernels.h"
#include "kernels/avx2/lanes.h"

namespace kelda::kernels::avx2 {

void rms_norm(const float* x, const float* w, float eps, int64_t n, float* y) noexcept {
  vector::rms_norm<F32x16>(x, w, eps, n, y);
}

void add(float* x, const float* y, int64_t n) noexcept { vector::add<F32x16>(x, y, n); }

void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  vector::silu_mul<F32x16>(gate, up, n, out);
}

void rope(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept {
  vector::rope<F32x16>(x, cos, sin, n, interleaved);
}

int64_t argmax(const float* x, int64_t n) noexcept { return vector::argmax<F32x16>(x, n); }

}  // namespace kelda::kernels::avx2
