// Codes as they lie in packed form (quant/packed_codes.h): the four bytes of a quad of columns in each row's
// dword, and one column of them.
#pragma once

#include "kernels/avx2/matmul_quantized.h"

namespace kelda::kernels::avx2 {
namespace {

inline Ints bits_and(Ints a, Ints b) {
  return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
}
inline Ints bits_or(Ints a, Ints b) {
  return {_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)};
}
inline Ints minus(Ints a, Ints b) {
  return {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
}
inline Ints all_bytes(int v) {
  const __m256i bytes = _mm256_set1_epi8(static_cast<char>(v));
  return {bytes, bytes};
}
inline Ints all_ints(int32_t v) { return {_mm256_set1_epi32(v), _mm256_set1_epi32(v)}; }

// Bits move within 16-bit words, left by n, which may be negative: what crosses into a byte's neighbour is
// for the caller to mask away.
inline Ints moved_left(Ints v, int n) {
  if (n >= 0) return {_mm256_slli_epi16(v.low, n), _mm256_slli_epi16(v.high, n)};
  return {_mm256_srli_epi16(v.low, -n), _mm256_srli_epi16(v.high, -n)};
}

// Columns 4n … 4n + 3 of a block, n = 0 … 7.
inline Ints nibble_quad(const std::byte* nibbles, int n) {
  return bits_and(moved_left(load_ints(nibbles + n % 4 * 64), n < 4 ? 0 : -4), all_bytes(0xF));
}
// The same, put to bits `at` and `at` + 1 of each byte.
inline Ints bit_pair_quad(const std::byte* bit_pairs, int n, int at) {
  return bits_and(moved_left(load_ints(bit_pairs + n / 4 * 64), at - n % 4 * 2), all_bytes(3 << at));
}
inline Ints bit_quad(const std::byte* bits, int n, int at) {
  return bits_and(moved_left(load_ints(bits), at - n), all_bytes(1 << at));
}

// Byte k (0 … 3) of each dword.
inline Ints unsigned_byte(Ints v, int k) { return bits_and(shifted_right(v, 8 * k), all_ints(0xFF)); }
inline Ints signed_byte(Ints v, int k) {
  const __m128i left = _mm_cvtsi32_si128(24 - 8 * k);
  return {_mm256_srai_epi32(_mm256_sll_epi32(v.low, left), 24),
          _mm256_srai_epi32(_mm256_sll_epi32(v.high, left), 24)};
}

// kBias · Σ q of token t's block.
template <int kBias>
inline Ints times_sum(const BlockInput& x, int t) {
  __m256i sum = _mm256_set1_epi32(x.sum[t * x.sum_stride]);
  if constexpr ((kBias & (kBias - 1)) == 0) {
    sum = _mm256_slli_epi32(sum, __builtin_ctz(kBias));
  } else {
    sum = _mm256_mullo_epi32(sum, _mm256_set1_epi32(kBias));
  }
  return {sum, sum};
}

// The unit of a format that has nothing to expand: kBlockVectors bytes of codes for each block, from kCodes
// on.
template <int kCodes, int kBlockVectors>
struct PlainUnit {
  explicit PlainUnit(const std::byte* unit) : p(unit) {}
  const std::byte* codes(int i) const { return p + kCodes + i * kBlockVectors; }
  const std::byte* p;
};

}  // namespace
}  // namespace kelda::kernels::avx2
