// The integer dot product of the formats with signed 8-bit codes.
#pragma once

#include "kernels/avx2/matmul_codes.h"

namespace kelda::kernels::avx2 {
namespace {

// W says, besides what matmul_quantized.h asks for: quad(codes, n), the codes of columns 4n … 4n + 3 as
// signed bytes.
//
// AVX2 multiplies unsigned by signed bytes and adds the products in pairs, saturating at 16 bits, which
// |code| ≤ 128 and |q| ≤ 127 never reach: so the code gives up its sign to q.
template <typename W, int T>
inline void dot_signed(const typename W::Unit& unit, int i, const BlockInput& x, Ints* out) {
  const std::byte* codes = unit.codes(i);
  const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
  for (int n = 0; n < 8; ++n) {
    const Ints w = W::quad(codes, n);
    const Ints size = {_mm256_abs_epi8(w.low), _mm256_abs_epi8(w.high)};
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      const __m256i q = broadcast4(x.q + t * x.stride + n * 4);
      const __m256i low = _mm256_maddubs_epi16(size.low, _mm256_sign_epi8(q, w.low));
      const __m256i high = _mm256_maddubs_epi16(size.high, _mm256_sign_epi8(q, w.high));
      const Ints quads = {_mm256_madd_epi16(low, ones), _mm256_madd_epi16(high, ones)};
      out[t].low = n == 0 ? quads.low : _mm256_add_epi32(out[t].low, quads.low);
      out[t].high = n == 0 ? quads.high : _mm256_add_epi32(out[t].high, quads.high);
      KELDA_PIN(out[t].low);
      KELDA_PIN(out[t].high);
    }
  }
  if constexpr (W::kFactors) {
    const Ints factor = W::factor(unit, i, 0);
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) {
      out[t] = {_mm256_mullo_epi32(out[t].low, factor.low), _mm256_mullo_epi32(out[t].high, factor.high)};
    }
  }
}

}  // namespace
}  // namespace kelda::kernels::avx2
