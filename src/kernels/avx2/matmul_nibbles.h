// The integer dot product of the formats with 4-bit codes.
#pragma once

#include "kernels/avx2/matmul_codes.h"

namespace kelda::kernels::avx2 {
namespace {

// W says, besides what matmul_quantized.h asks for: kBias, what its codes are above their value (0 where it
// has factors); and, if it has factors, factor_pairs(unit, i, half), the same for both halves.
//
// 8 products of pairs are at most 8 · 2 · 15 · 127 = 30480, so a block's sums fit 16 bits.
template <typename W, int T>
inline void dot_nibbles(const typename W::Unit& unit, int i, const BlockInput& x, Ints* out) {
  static_assert(W::kBias == 0 || !W::kFactors);
  const std::byte* codes = unit.codes(i);
  const __m256i mask = _mm256_set1_epi8(0xF);
  Ints pairs[T];
#pragma GCC unroll 8
  for (int n = 0; n < 8; ++n) {  // quads of columns: vector by vector, low nibbles then high ones
    const int v = n / 2, high_nibbles = n % 2;
    const Ints w = load_ints(codes + v * 64);
    const Ints columns = {_mm256_and_si256(high_nibbles ? _mm256_srli_epi16(w.low, 4) : w.low, mask),
                          _mm256_and_si256(high_nibbles ? _mm256_srli_epi16(w.high, 4) : w.high, mask)};
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      const __m256i q = broadcast4(x.q + t * x.stride + high_nibbles * 16 + v * 4);
      const __m256i low = _mm256_maddubs_epi16(columns.low, q);
      const __m256i high = _mm256_maddubs_epi16(columns.high, q);
      pairs[t].low = n == 0 ? low : _mm256_add_epi16(pairs[t].low, low);
      pairs[t].high = n == 0 ? high : _mm256_add_epi16(pairs[t].high, high);
      KELDA_PIN(pairs[t].low);
      KELDA_PIN(pairs[t].high);
    }
  }
  Ints factor = {_mm256_set1_epi16(1), _mm256_set1_epi16(1)};
  if constexpr (W::kFactors) factor = W::factor_pairs(unit, i, 0);
  for (int t = 0; t < T; ++t) {
    out[t] = {_mm256_madd_epi16(pairs[t].low, factor.low), _mm256_madd_epi16(pairs[t].high, factor.high)};
    if constexpr (W::kBias != 0) out[t] = minus(out[t], times_sum<W::kBias>(x, t));
  }
}

}  // namespace
}  // namespace kelda::kernels::avx2
