// Quantised matmul with AVX2, for every format packed in 32-column blocks: 16 rows (two vectors of 8) by 1 to
// 4 tokens.
//
// Rows are lanes, so a dword of activations is broadcast and meets a dword of each row; no sum ever crosses
// lanes. The integer sums of a block stay in registers; the float sums F, needed once per block, may live on
// the stack.
//
// Everything is in an unnamed namespace: a file of this instruction set exports only its kernel, and no
// inline function of it can be picked by the linker for machines without AVX2
// (docs/adr/0004-isa-dispatch.md).
#pragma once

#include <immintrin.h>
#include <string.h>

#include "kernels/kernel_table.h"

// The compiler may not move the addition that made `v` past this point. Left to itself GCC does all
// multiplications first and spills most of the registers.
#define KELDA_PIN(v) asm volatile("" : "+x"(v))

namespace kelda::kernels::avx2 {
namespace {

constexpr int kMaxTokens = 4;
constexpr int kPrefetchBytes = 1536;  // ahead, for one token: the stream of weights crosses page ends

// 16 lanes, one per row.
struct Ints {
  __m256i low, high;
};
struct Floats {
  __m256 low, high;
};

inline __m256i load_vector(const std::byte* p) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
}
inline Ints load_ints(const std::byte* p) { return {load_vector(p), load_vector(p + 32)}; }
inline Floats load_halves(const std::byte* p) {  // 16 f16
  return {_mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p))),
          _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p + 16)))};
}
inline __m256i broadcast4(const int8_t* p) {
  int32_t dword;
  memcpy(&dword, p, sizeof dword);
  return _mm256_set1_epi32(dword);
}
inline Floats to_floats(Ints v) { return {_mm256_cvtepi32_ps(v.low), _mm256_cvtepi32_ps(v.high)}; }
inline Floats times(Floats a, Floats b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
inline Floats plus(Floats a, Floats b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
inline Floats fma(Floats a, Floats b, Floats c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
inline Floats all(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline Ints shifted_right(Ints v, int bits) {
  const __m128i count = _mm_cvtsi32_si128(bits);
  return {_mm256_srl_epi32(v.low, count), _mm256_srl_epi32(v.high, count)};
}

inline void store_rows(float* y, Floats v, int64_t n_rows) {
  if (n_rows >= quant::kLanes) {
    _mm256_storeu_ps(y, v.low);
    _mm256_storeu_ps(y + 8, v.high);
    return;
  }
  float lanes[quant::kLanes];
  _mm256_storeu_ps(lanes, v.low);
  _mm256_storeu_ps(lanes + 8, v.high);
  memcpy(y, lanes, static_cast<size_t>(n_rows) * sizeof(float));
}

// A format W says:
//   kUnitBytes, kBlockBytes   of a unit of two blocks, and of the codes of one block, which start the unit
//   kHasMin
//   dot<T>(codes, q, stride, sum, sum_stride, out)   out[t] = Σ code·q over one block; q and sum: of the
//   first token scale(unit, i), min(unit, i)                     of block i of the unit column(codes, k) the
//   codes of column k of a block
template <typename W>
inline Floats add_outliers(const QuantizedRows& x, const std::byte* group, int64_t token, Floats F) {
  const int64_t first = token * x.max_outliers;
  for (int64_t n = first; n < first + x.n_outliers[token]; ++n) {
    const int64_t kb = x.outlier_k[n] / quant::kActBlock;
    const int i = static_cast<int>(kb % 2);
    const std::byte* unit = group + kb / 2 * W::kUnitBytes;
    const Ints code =
        W::column(unit + i * W::kBlockBytes, static_cast<int>(x.outlier_k[n] % quant::kActBlock));
    Floats weight = times(W::scale(unit, i), to_floats(code));
    if constexpr (W::kHasMin) weight = plus(weight, W::min(unit, i));
    F = fma(all(x.outlier_x[n]), weight, F);
  }
  return F;
}

// 16 rows by T tokens. y: of the first token.
template <typename W, int T>
void tile(const MatmulArgs& a, const std::byte* group, int64_t token, float* y, int64_t n_rows) {
  const QuantizedRows& x = *a.x;
  const int8_t* q = x.q + token * x.stride;
  const float* x_scale = x.scale + token * x.n_blocks;
  const int32_t* x_sum = x.sum + token * x.n_blocks;
  Floats F[T];
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t) F[t] = all(0);
  for (int64_t kb = 0; kb < x.n_blocks; ++kb) {
    const int i = static_cast<int>(kb % 2);
    const std::byte* unit = group + kb / 2 * W::kUnitBytes;
    const std::byte* codes = unit + i * W::kBlockBytes;
    if constexpr (T == 1) {
      for (int line = 0; line < W::kUnitBytes / 2; line += 64) {
        _mm_prefetch(reinterpret_cast<const char*>(codes) + kPrefetchBytes + line, _MM_HINT_T0);
      }
    }
    Ints dot[T];
    W::template dot<T>(codes, q + kb * quant::kActBlock, x.stride, x_sum + kb, x.n_blocks, dot);
    const Floats w_scale = W::scale(unit, i);
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      const __m256 scale = _mm256_broadcast_ss(x_scale + t * x.n_blocks + kb);
      F[t] = fma(to_floats(dot[t]), times(w_scale, {scale, scale}), F[t]);
      if constexpr (W::kHasMin) {
        const __m256 sum = _mm256_cvtepi32_ps(_mm256_set1_epi32(x_sum[t * x.n_blocks + kb]));
        const __m256 scaled = _mm256_mul_ps(scale, sum);
        F[t] = fma(W::min(unit, i), {scaled, scaled}, F[t]);
      }
    }
  }
  // By way of memory, so that the loop over tokens need not be unrolled and F[t] above is never indexed by a
  // variable.
  alignas(32) float sums[T][quant::kLanes];
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t) {
    _mm256_store_ps(sums[t], F[t].low);
    _mm256_store_ps(sums[t] + 8, F[t].high);
  }
  for (int t = 0; t < T; ++t) {
    const Floats sum = {_mm256_load_ps(sums[t]), _mm256_load_ps(sums[t] + 8)};
    store_rows(y + t * a.y_stride, add_outliers<W>(x, group, token + t, sum), n_rows);
  }
}

template <typename W>
void matmul_quantized(const MatmulArgs& a) noexcept {
  for (int64_t g = 0; g < a.n_groups; ++g) {
    const std::byte* group = a.w + g * a.group_bytes;
    const int64_t n_rows = a.n_rows - g * quant::kLanes;
    int64_t left = a.n_tokens;
    while (left > 0) {  // tiles as equal as can be: 5 tokens are 3 + 2
      const int64_t tiles = (left + kMaxTokens - 1) / kMaxTokens;
      const int64_t n = (left + tiles - 1) / tiles;
      const int64_t token = a.first_token + a.n_tokens - left;
      float* y = a.y + token * a.y_stride + g * quant::kLanes;
      switch (n) {
        case 1:
          tile<W, 1>(a, group, token, y, n_rows);
          break;
        case 2:
          tile<W, 2>(a, group, token, y, n_rows);
          break;
        case 3:
          tile<W, 3>(a, group, token, y, n_rows);
          break;
        default:
          tile<W, 4>(a, group, token, y, n_rows);
          break;
      }
      left -= n;
    }
  }
}

}  // namespace
}  // namespace kelda::kernels::avx2
