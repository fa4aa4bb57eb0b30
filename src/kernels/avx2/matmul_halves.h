// The integer dot product of the formats whose products of pairs fill 16 bits after half a block, or whose
// halves have factors of their own: codes of 2, 3, 5 and 6 bits.
#pragma once

#include "kernels/avx2/matmul_codes.h"

namespace kelda::kernels::avx2 {
namespace {

// For each half (the first in the low 128 bits) Σ kBias · q over every other pair of columns, as the 16-bit
// sums below have it: what the bias of the codes adds to them.
template <int kBias>
inline __m256i bias_of_halves(const int8_t* q) {
  const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(kBias), codes);
  pairs = _mm256_add_epi16(pairs, _mm256_shuffle_epi32(pairs, _MM_SHUFFLE(1, 0, 3, 2)));
  return _mm256_add_epi16(pairs, _mm256_shuffle_epi32(pairs, _MM_SHUFFLE(2, 3, 0, 1)));
}

// W says, besides what matmul_quantized.h asks for: kBias; quad(codes, n), the bytes of columns 4n … 4n + 3,
// all ≤ 63; and, if it has factors, factor_pairs(unit, i, half), each of them twice in its dword, as 16-bit
// numbers.
//
// Sums of 4 products of pairs fit 16 bits: up to 31 (5 bits) as they stand, 4 · 2 · 31 · 127 = 31496; 6-bit
// codes once the bias is taken off, 4 · 2 · 32 · 127 = 32512, and until then they may wrap. Without factors
// the bias is taken off at the end, since Σ q is known.
template <typename W, int T>
inline void dot_halves(const typename W::Unit& unit, int i, const BlockInput& x, Ints* out) {
  constexpr bool kBiasInHalves = W::kBias != 0 && W::kFactors;
  const std::byte* codes = unit.codes(i);
  __m256i bias[T];
  if constexpr (kBiasInHalves) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) bias[t] = bias_of_halves<W::kBias>(x.q + t * x.stride);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    Ints pairs[T];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const Ints w = W::quad(codes, half * 4 + j);
#pragma GCC unroll 4
      for (int t = 0; t < T; ++t) {
        const __m256i q = broadcast4(x.q + t * x.stride + half * 16 + j * 4);
        const __m256i low = _mm256_maddubs_epi16(w.low, q), high = _mm256_maddubs_epi16(w.high, q);
        pairs[t].low = j == 0 ? low : _mm256_add_epi16(pairs[t].low, low);
        pairs[t].high = j == 0 ? high : _mm256_add_epi16(pairs[t].high, high);
        KELDA_PIN(pairs[t].low);
        KELDA_PIN(pairs[t].high);
      }
    }
    Ints factor = {_mm256_set1_epi16(1), _mm256_set1_epi16(1)};
    if constexpr (W::kFactors) factor = W::factor_pairs(unit, i, half);
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      if constexpr (kBiasInHalves) {
        const __m256i b = _mm256_permute2x128_si256(bias[t], bias[t], half == 0 ? 0x00 : 0x11);
        pairs[t] = {_mm256_sub_epi16(pairs[t].low, b), _mm256_sub_epi16(pairs[t].high, b)};
      }
      const Ints sum = {_mm256_madd_epi16(pairs[t].low, factor.low),
                        _mm256_madd_epi16(pairs[t].high, factor.high)};
      out[t].low = half == 0 ? sum.low : _mm256_add_epi32(out[t].low, sum.low);
      out[t].high = half == 0 ? sum.high : _mm256_add_epi32(out[t].high, sum.high);
    }
  }
  if constexpr (W::kBias != 0 && !kBiasInHalves) {
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) out[t] = minus(out[t], times_sum<W::kBias>(x, t));
  }
}

}  // namespace
}  // namespace kelda::kernels::avx2
