// Quantised matmul with AVX2, for every format of quant/formats: 16 rows (two vectors of 8) by 1 to 4 tokens.
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

// Activations of one 32-column block: codes and their sums of a tile's first token, and the steps to the
// next.
struct BlockInput {
  const int8_t* q;
  int64_t stride;
  const int32_t* sum;
  int64_t sum_stride;
};

// What a format W says:
//   kUnitBytes, kUnitBlocks    of a unit of the packed form
//   kMins                      0, 1 or 2: FormatSpec::n_mins
//   kFactors                   whether its DecodedBlock::factor is not always 1
//   Unit(p)                    the unit at p; what its blocks share may be expanded here
//   and of block i of a unit, which stands at unit.codes(i):
//   dot<T>(unit, i, x, out)    out[t] = Σ factor·code·q for T tokens
//   scale(unit, i), min(unit, i, half), factor(unit, i, half)
//   column(unit, i, k)         the codes of column k

// The 16 rows' weights of one column.
template <typename W>
inline Floats weights(const typename W::Unit& unit, int i, int k) {
  Floats weight = W::scale(unit, i);
  if constexpr (W::kFactors) weight = times(weight, to_floats(W::factor(unit, i, k / 16)));
  weight = times(weight, to_floats(W::column(unit, i, k)));
  if constexpr (W::kMins != 0) weight = plus(weight, W::min(unit, i, k / 16));
  return weight;
}

template <typename W>
inline Floats add_outliers(const QuantizedRows& x, const std::byte* group, int64_t token, Floats F) {
  const int64_t first = token * x.max_outliers;
  for (int64_t n = first; n < first + x.n_outliers[token]; ++n) {
    const int64_t kb = x.outlier_k[n] / quant::kActBlock;
    const typename W::Unit unit(group + kb / W::kUnitBlocks * W::kUnitBytes);
    const Floats weight =
        weights<W>(unit, static_cast<int>(kb % W::kUnitBlocks), x.outlier_k[n] % quant::kActBlock);
    F = fma(all(x.outlier_x[n]), weight, F);
  }
  return F;
}

// x.scale · Σ q over each half of a block: the first half's in the low four lanes, the second's in the
// others.
inline __m256 scaled_half_sums(const int8_t* q, __m256 x_scale) {
  const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), codes), _mm256_set1_epi16(1));
  sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, _MM_SHUFFLE(1, 0, 3, 2)));
  sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, _MM_SHUFFLE(2, 3, 0, 1)));
  return _mm256_mul_ps(x_scale, _mm256_cvtepi32_ps(sums));
}

// The term of the minima, for one token. w_min: of both halves, or of each.
template <int kMins>
inline Floats add_mins(const Floats* w_min, const int8_t* q, int32_t sum, __m256 x_scale, Floats F) {
  if constexpr (kMins == 1) {
    const __m256 scaled = _mm256_mul_ps(x_scale, _mm256_cvtepi32_ps(_mm256_set1_epi32(sum)));
    return fma(w_min[0], {scaled, scaled}, F);
  } else {
    const __m256 sums = scaled_half_sums(q, x_scale);
    const __m256 first = _mm256_permute2f128_ps(sums, sums, 0x00);
    const __m256 second = _mm256_permute2f128_ps(sums, sums, 0x11);
    F = fma(w_min[0], {first, first}, F);
    return fma(w_min[1], {second, second}, F);
  }
}

// F[t] after block i of a unit. x: of its first column, scale: of the tile's first token.
template <typename W, int T>
inline void add_block(const typename W::Unit& unit, int i, const BlockInput& x, const float* scale,
                      Floats* F) {
  Ints dot[T];
  W::template dot<T>(unit, i, x, dot);
  const Floats w_scale = W::scale(unit, i);
  Floats w_min[2];
  if constexpr (W::kMins > 0) w_min[0] = W::min(unit, i, 0);
  if constexpr (W::kMins > 1) w_min[1] = W::min(unit, i, 1);
#pragma GCC unroll 4
  for (int t = 0; t < T; ++t) {
    const __m256 x_scale = _mm256_broadcast_ss(scale + t * x.sum_stride);
    F[t] = fma(to_floats(dot[t]), times(w_scale, {x_scale, x_scale}), F[t]);
    if constexpr (W::kMins != 0) {
      F[t] = add_mins<W::kMins>(w_min, x.q + t * x.stride, x.sum[t * x.sum_stride], x_scale, F[t]);
    }
  }
}

// For one token: asks for what this block's part of the unit is as far ahead.
template <typename W>
inline void prefetch_block(const std::byte* unit, int i) {
  constexpr int kLines = W::kUnitBytes / 64;
  for (int line = kLines * i / W::kUnitBlocks; line < kLines * (i + 1) / W::kUnitBlocks; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(unit) + kPrefetchBytes + line * 64, _MM_HINT_T0);
  }
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
  const std::byte* p = group;
  for (int64_t first = 0; first < x.n_blocks; first += W::kUnitBlocks, p += W::kUnitBytes) {
    const typename W::Unit unit(p);
    const int64_t left = x.n_blocks - first;
    const int n = left < W::kUnitBlocks ? static_cast<int>(left) : W::kUnitBlocks;
    for (int i = 0; i < n; ++i) {
      if constexpr (T == 1) prefetch_block<W>(p, i);
      const int64_t kb = first + i;
      add_block<W, T>(unit, i, {q + kb * quant::kActBlock, x.stride, x_sum + kb, x.n_blocks}, x_scale + kb,
                      F);
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
