#include <cmath>

#include "base/math.h"
#include "kernels/scalar/kernels.h"
#include "kernels/scalar/lanes.h"

namespace kelda::kernels::scalar {
namespace {

float gelu(float g) {
  const float u = g * std::fma(kGeluCubic, g * g, kGeluLinear);
  return g / (1.0f + exp2_f32(-u));
}

float gelu_exact(float x) {
  const float y = -larger(-kTailLimit, -larger(x, -x));  // in this order a NaN stays
  const float t = 1.0f / std::fma(kTailPole, y, 1.0f);
  float p = kTailPoly[8];
  for (int i = 7; i >= 0; --i) p = std::fma(p, t, kTailPoly[i]);
  const float tail = p * t * exp2_f32(y * y * kTailExponent);
  return larger(x, 0.0f) - y * tail;
}

}  // namespace

void add(float* x, const float* y, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] += y[i];
}

void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  for (int64_t i = 0; i < n; ++i) {
    const float g = gate[i];
    out[i] = g / (1.0f + exp2_f32(-g * kLog2E)) * up[i];
  }
}

void add_scaled(float* x, const float* y, float factor, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] = std::fma(factor, y[i], x[i]);
}

void scale(float* x, float factor, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

void softcap(float* x, float cap, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] = cap * tanh_f32(x[i] / cap);
}

void gelu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  for (int64_t i = 0; i < n; ++i) out[i] = gelu(gate[i]) * up[i];
}

void gelu(float* x, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] = gelu(x[i]);
}

void gelu_exact(float* x, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) x[i] = gelu_exact(x[i]);
}

}  // namespace kelda::kernels::scalar
