// The row kernels (norms, add, scale, softcap, silu, both gelus, rope, argmax) as templates over F, sixteen
// float lanes: kernels/ISA/lanes.h. Internal linkage throughout: each instruction set's file makes copies of
// its own.
#pragma once

#include <cstdint>

#include "base/math.h"
#include "kernels/kernel_table.h"

namespace kelda::kernels::vector {
namespace {

inline constexpr int64_t kStep = 16;

// Calls body(i, n_here) for i = 0, 16, …: n_here is 16 but for the last step of a row that is no multiple
// of 16.
template <typename Body>
inline void for_steps(int64_t n, const Body& body) noexcept {
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) body(i, kStep);
  if (i < n) body(i, n - i);
}
template <typename F>
inline F load(const float* p, int64_t n) noexcept {
  return n == kStep ? F::load(p) : F::load_first(p, n);
}
template <typename F>
inline void store(F x, float* p, int64_t n) noexcept {
  if (n == kStep) {
    x.store(p);
  } else {
    x.store_first(p, n);
  }
}

template <typename F>
inline void rms_norm(const float* x, const float* w, float eps, int64_t n, float* y) noexcept {
  F squares = F::broadcast(0.0f);
  for_steps(n, [&](int64_t i, int64_t here) {
    const F v = load<F>(x + i, here);  // lanes past the end are 0 and add +0
    squares = F::fma(v, v, squares);
  });
  const F s = F::broadcast(1.0f / __builtin_sqrtf(squares.sum() / static_cast<float>(n) + eps));
  for_steps(n, [&](int64_t i, int64_t here) {
    store(load<F>(x + i, here) * s * load<F>(w + i, here), y + i, here);
  });
}

// A missing element of the last step counts as the mean itself: its deviation is +0 and adds +0.
template <typename F>
inline void layer_norm(const float* x, const float* w, const float* b, float eps, int64_t n,
                       float* y) noexcept {
  F sum = F::broadcast(0.0f), squares = F::broadcast(0.0f);
  for_steps(n, [&](int64_t i, int64_t here) { sum = sum + load<F>(x + i, here); });
  const float mean = sum.sum() / static_cast<float>(n);
  const F middle = F::broadcast(mean), zero = F::broadcast(0.0f);
  for_steps(n, [&](int64_t i, int64_t here) {
    F d = load<F>(x + i, here) - middle;
    if (here != kStep) d = F::choose(0, here - 1, d, zero);
    squares = F::fma(d, d, squares);
  });
  const F s = F::broadcast(1.0f / __builtin_sqrtf(squares.sum() / static_cast<float>(n) + eps));
  for_steps(n, [&](int64_t i, int64_t here) {
    const F d = load<F>(x + i, here) - middle;
    store(F::fma(d * s, load<F>(w + i, here), load<F>(b + i, here)), y + i, here);
  });
}

template <typename F>
inline void add(float* x, const float* y, int64_t n) noexcept {
  for_steps(
      n, [&](int64_t i, int64_t here) { store(load<F>(x + i, here) + load<F>(y + i, here), x + i, here); });
}

template <typename F>
inline void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  const F one = F::broadcast(1.0f), log2_e = F::broadcast(kLog2E);
  for_steps(n, [&](int64_t i, int64_t here) {
    const F g = load<F>(gate + i, here);
    store(g / (one + (-g * log2_e).exp2()) * load<F>(up + i, here), out + i, here);
  });
}

template <typename F>
inline F gelu(F g) noexcept {
  const F u = g * F::fma(F::broadcast(kGeluCubic), g * g, F::broadcast(kGeluLinear));
  return g / (F::broadcast(1.0f) + (-u).exp2());
}

template <typename F>
inline void gelu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept {
  for_steps(n, [&](int64_t i, int64_t here) {
    store(gelu(load<F>(gate + i, here)) * load<F>(up + i, here), out + i, here);
  });
}

template <typename F>
inline void gelu(float* x, int64_t n) noexcept {
  for_steps(n, [&](int64_t i, int64_t here) { store(gelu(load<F>(x + i, here)), x + i, here); });
}

template <typename F>
inline F gelu_exact(F x) noexcept {
  const F one = F::broadcast(1.0f);
  const F y = -F::larger(F::broadcast(-kTailLimit), -F::larger(x, -x));  // in this order a NaN stays
  const F t = one / F::fma(F::broadcast(kTailPole), y, one);
  F p = F::broadcast(kTailPoly[8]);
  for (int i = 7; i >= 0; --i) p = F::fma(p, t, F::broadcast(kTailPoly[i]));
  const F tail = p * t * (y * y * F::broadcast(kTailExponent)).exp2();
  return F::larger(x, F::broadcast(0.0f)) - y * tail;
}

template <typename F>
inline void gelu_exact(float* x, int64_t n) noexcept {
  for_steps(n, [&](int64_t i, int64_t here) { store(gelu_exact(load<F>(x + i, here)), x + i, here); });
}

template <typename F>
inline void add_scaled(float* x, const float* y, float factor, int64_t n) noexcept {
  const F f = F::broadcast(factor);
  for_steps(n, [&](int64_t i, int64_t here) {
    store(F::fma(f, load<F>(y + i, here), load<F>(x + i, here)), x + i, here);
  });
}

template <typename F>
inline void scale(float* x, float factor, int64_t n) noexcept {
  const F f = F::broadcast(factor);
  for_steps(n, [&](int64_t i, int64_t here) { store(load<F>(x + i, here) * f, x + i, here); });
}

template <typename F>
inline void softcap(float* x, float cap, int64_t n) noexcept {
  const F c = F::broadcast(cap);
  for_steps(n, [&](int64_t i, int64_t here) { store(c * (load<F>(x + i, here) / c).tanh(), x + i, here); });
}

template <typename F>
inline void rotate(F& a, F& b, F c, F s) noexcept {
  const F a2 = F::fma(a, c, -(b * s));
  b = F::fma(a, s, b * c);
  a = a2;
}

template <typename F>
inline void rope(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept {
  const int64_t half = n / 2;
  for_steps(half, [&](int64_t i, int64_t here) {
    const F c = load<F>(cos + i, here), s = load<F>(sin + i, here);
    F a, b;
    if (!interleaved) {
      a = load<F>(x + i, here);
      b = load<F>(x + half + i, here);
      rotate(a, b, c, s);
      store(a, x + i, here);
      store(b, x + half + i, here);
    } else if (here == kStep) {
      F::load_pairs(x + 2 * i, a, b);
      rotate(a, b, c, s);
      F::store_pairs(x + 2 * i, a, b);
    } else {  // through memory that is large enough
      float pairs[2 * kStep] = {};
      for (int64_t j = 0; j < 2 * here; ++j) pairs[j] = x[2 * i + j];
      F::load_pairs(pairs, a, b);
      rotate(a, b, c, s);
      F::store_pairs(pairs, a, b);
      for (int64_t j = 0; j < 2 * here; ++j) x[2 * i + j] = pairs[j];
    }
  });
}

// The largest value first (NaN passed over), then where it comes first.
template <typename F>
inline int64_t argmax(const float* x, int64_t n) noexcept {
  const float lowest = -__builtin_inff();
  F best = F::broadcast(lowest);
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) best = F::larger(F::load(x + i), best);
  float top = best.max();
  for (int64_t j = i; j < n; ++j) top = x[j] > top ? x[j] : top;
  const F top16 = F::broadcast(top);
  for (i = 0; i + kStep <= n && !F::any_equal(F::load(x + i), top16);) i += kStep;
  for (; i < n; ++i) {
    if (x[i] == top) return i;
  }
  return 0;  // NaN everywhere
}

}  // namespace
}  // namespace kelda::kernels::vector
