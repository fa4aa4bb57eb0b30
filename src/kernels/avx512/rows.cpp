#include "kernels/vector/rows.h"

#include "kernels/avx512/kernels.h"
#include "kernels/avx512/lanes.h"

namespace kelda::kernels::avx512 {

void rms_norm(const float* x, const float* w, float eps, int64_t n, float* y) noexcept {
  vector::rms_norm<F32x16>(x, w, eps, n, y);
}

void layer_norm(const float* x, const float* w, const float* b, float eps, int64_t n, float* y) noexcept {
  vector::layer_norm<F32x16>(x, w, b, eps, n, y);
}

void add_scaled(float* x, const float* y, float factor, int64_t n) noexcept {
  vector::add_scaled<F32x16>(x, y, factor, n);
}

void scale(float* x, float factor, int64_t n) noexcept { vector::scale<F32x16>(x, factor, n); }

void softcap(float* x, float cap, int64_t n) noexcept { vector::softcap<F32x16>(x, cap, n); }

void gelu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  vector::gelu_mul<F32x16>(gate, up, n, out);
}

void gelu(float* x, int64_t n) noexcept { vector::gelu<F32x16>(x, n); }

void gelu_exact(float* x, int64_t n) noexcept { vector::gelu_exact<F32x16>(x, n); }

void add(float* x, const float* y, int64_t n) noexcept { vector::add<F32x16>(x, y, n); }

void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  vector::silu_mul<F32x16>(gate, up, n, out);
}

void rope(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept {
  vector::rope<F32x16>(x, cos, sin, n, interleaved);
}

int64_t argmax(const float* x, int64_t n) noexcept { return vector::argmax<F32x16>(x, n); }

}  // namespace kelda::kernels::avx512
