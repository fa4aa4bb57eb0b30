// Matmul of the float formats with AVX2: F = fma(w[k], x[k], F) for 16 rows (two vectors of 8) of G row
// groups by T tokens. Every sum is one chain of dependent multiply-adds, so the 2 · G · T sums of a tile hide
// each other's latency.
#pragma once

#include <immintrin.h>
#include <string.h>

#include "kernels/kernel_table.h"

namespace kelda::kernels::avx2 {
namespace {

// A format W says: kColumnBytes, of 16 rows; load(p), 8 rows of a column as floats.
template <typename W, int G, int T>
void float_tile(const MatmulArgs& a, const std::byte* groups, int64_t token, float* y,
                int64_t n_rows) noexcept {
  const float* x = a.x_f32 + token * a.x_stride;
  __m256 F[G][T][2];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) F[g][t][0] = F[g][t][1] = _mm256_setzero_ps();
  }
  for (int64_t k = 0; k < a.cols; ++k) {
    __m256 in[T];
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) in[t] = _mm256_broadcast_ss(x + t * a.x_stride + k);
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      const std::byte* column = groups + g * a.group_bytes + k * W::kColumnBytes;
      if constexpr (T == 1) _mm_prefetch(reinterpret_cast<const char*>(column) + 1024, _MM_HINT_T0);
      const __m256 low = W::load(column), high = W::load(column + W::kColumnBytes / 2);
#pragma GCC unroll 4
      for (int t = 0; t < T; ++t) {
        F[g][t][0] = _mm256_fmadd_ps(low, in[t], F[g][t][0]);
        F[g][t][1] = _mm256_fmadd_ps(high, in[t], F[g][t][1]);
      }
    }
  }
  // By way of memory, so that F above is never indexed by a variable.
  float sums[G][T][quant::kLanes];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      _mm256_storeu_ps(sums[g][t], F[g][t][0]);
      _mm256_storeu_ps(sums[g][t] + 8, F[g][t][1]);
    }
  }
  for (int g = 0; g < G; ++g) {
    const int64_t left = n_rows - g * quant::kLanes;
    const auto bytes = static_cast<size_t>(left < quant::kLanes ? left : quant::kLanes) * sizeof(float);
    for (int t = 0; t < T; ++t) memcpy(y + t * a.y_stride + g * quant::kLanes, sums[g][t], bytes);
  }
}

template <typename W>
void matmul_float(const MatmulArgs& a) noexcept {
  const int64_t end = a.first_token + a.n_tokens;
  for (int64_t first = 0; first < a.n_groups; first += 4) {  // four groups at a time, which stay in cache
    const int64_t n_groups = a.n_groups - first < 4 ? a.n_groups - first : 4;
    const std::byte* groups = a.w + first * a.group_bytes;
    const int64_t n_rows = a.n_rows - first * quant::kLanes;
    float* y = a.y + first * quant::kLanes;
    int64_t token = a.first_token;
    for (; token + 4 <= end; token += 4) {
      for (int64_t g = 0; g < n_groups; ++g) {
        float_tile<W, 1, 4>(a, groups + g * a.group_bytes, token, y + token * a.y_stride + g * quant::kLanes,
                            n_rows - g * quant::kLanes);
      }
    }
    for (; token < end; ++token) {
      if (n_groups == 4) {
        float_tile<W, 4, 1>(a, groups, token, y + token * a.y_stride, n_rows);
        continue;
      }
      for (int64_t g = 0; g < n_groups; ++g) {
        float_tile<W, 1, 1>(a, groups + g * a.group_bytes, token, y + token * a.y_stride + g * quant::kLanes,
                            n_rows - g * quant::kLanes);
      }
    }
  }
}

}  // namespace
}  // namespace kelda::kernels::avx2
