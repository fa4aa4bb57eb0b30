// The integer dot product of the formats with 4-bit codes.
#pragma once

#include "kernels/avx2/matmul_quantized.h"

namespace kelda::kernels::avx2 {
namespace {

// Codes are the nibbles minus kBias. Vector v of a block: byte b of a row's dword holds column 4v + b (low)
// and 16 + 4v + b (high).
template <int kBias>
struct Nibbles {
  static constexpr int kBlockBytes = 4 * 64;

  // 8 products of pairs are at most 8 · 2 · 15 · 127 = 30480, so a block's sums fit 16 bits.
  template <int T>
  static inline void dot(const std::byte* codes, const int8_t* q, int64_t stride, const int32_t* sum,
                         int64_t sum_stride, Ints* out) {
    const __m256i mask = _mm256_set1_epi8(0xF);
    Ints pairs[T];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {  // quads of columns: vector by vector, low nibbles then high ones
      const int v = i / 2, high_nibbles = i % 2;
      const Ints w = load_ints(codes + v * 64);
      const Ints columns = {_mm256_and_si256(high_nibbles ? _mm256_srli_epi16(w.low, 4) : w.low, mask),
                            _mm256_and_si256(high_nibbles ? _mm256_srli_epi16(w.high, 4) : w.high, mask)};
#pragma GCC unroll 4
      for (int t = 0; t < T; ++t) {
        const __m256i x = broadcast4(q + t * stride + high_nibbles * 16 + v * 4);
        const __m256i low = _mm256_maddubs_epi16(columns.low, x);
        const __m256i high = _mm256_maddubs_epi16(columns.high, x);
        pairs[t].low = i == 0 ? low : _mm256_add_epi16(pairs[t].low, low);
        pairs[t].high = i == 0 ? high : _mm256_add_epi16(pairs[t].high, high);
        KELDA_PIN(pairs[t].low);
        KELDA_PIN(pairs[t].high);
      }
    }
    const __m256i ones = _mm256_set1_epi16(1);
    for (int t = 0; t < T; ++t) {
      out[t] = {_mm256_madd_epi16(pairs[t].low, ones), _mm256_madd_epi16(pairs[t].high, ones)};
      if constexpr (kBias != 0) {
        static_assert((kBias & (kBias - 1)) == 0);
        const __m256i bias = _mm256_slli_epi32(_mm256_set1_epi32(sum[t * sum_stride]), __builtin_ctz(kBias));
        out[t] = {_mm256_sub_epi32(out[t].low, bias), _mm256_sub_epi32(out[t].high, bias)};
      }
    }
  }

  static inline Ints column(const std::byte* codes, int k) {
    const Ints w = shifted_right(load_ints(codes + k % 16 / 4 * 64), k % 4 * 8 + k / 16 * 4);
    const __m256i mask = _mm256_set1_epi32(0xF), bias = _mm256_set1_epi32(kBias);
    return {_mm256_sub_epi32(_mm256_and_si256(w.low, mask), bias),
            _mm256_sub_epi32(_mm256_and_si256(w.high, mask), bias)};
  }
};

}  // namespace
}  // namespace kelda::kernels::avx2
