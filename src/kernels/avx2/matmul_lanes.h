// What vector/matmul.h needs of AVX2. It multiplies unsigned by signed bytes and adds the products in pairs,
// saturating at 16 bits: which codes never reach that, and how many pairs may be added up before they are
// widened, depends on the codes.
#pragma once

#include "kernels/avx2/int_lanes.h"
#include "kernels/vector/matmul_codes.h"

// The compiler may not move the addition that made `v` past this point. Left to itself GCC does all
// multiplications first and spills most of the registers.
#define KELDA_PIN(v) asm volatile("" : "+x"(v.lo), "+x"(v.hi))

namespace kelda::kernels::avx2 {
namespace {

using vector::BlockInput;
using vector::Factors;
using vector::times;
using vector::unrolled;

// The same four bytes in every lane.
inline __m256i broadcast4(const int8_t* p) {
  int32_t dword;
  memcpy(&dword, p, sizeof dword);
  return _mm256_set1_epi32(dword);
}
inline I32x16 pairs_of_products(I32x16 codes, __m256i q) {
  return {_mm256_maddubs_epi16(codes.lo, q), _mm256_maddubs_epi16(codes.hi, q)};
}
inline I32x16 add_words(I32x16 a, I32x16 b) {
  return {_mm256_add_epi16(a.lo, b.lo), _mm256_add_epi16(a.hi, b.hi)};
}
// Σ of the two words of each lane times those of `factors`.
inline I32x16 widened(I32x16 words, I32x16 factors) {
  return {_mm256_madd_epi16(words.lo, factors.lo), _mm256_madd_epi16(words.hi, factors.hi)};
}
// Codes up to 15: a block's 8 products of pairs are at most 8 · 2 · 15 · 127 = 30480, which fits 16 bits.
template <typename W, int T>
[[gnu::always_inline]] inline void dot_nibbles(const typename W::Unit& unit, int i, const BlockInput& x,
                                               I32x16* out) {
  static_assert(W::kBias == 0 || W::kFactors == Factors::kNone);
  const std::byte* codes = unit.codes(i);
  I32x16 pairs[T];
  unrolled<8>([&](auto j) __attribute__((always_inline)) {
    constexpr int kQuad = j.value / 2 + j.value % 2 * 4;  // both halves of a vector of nibbles in turn
    const I32x16 w = W::template quad<kQuad>(codes);
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      const I32x16 products = pairs_of_products(w, broadcast4(x.q + t * x.stride + kQuad * 4));
      pairs[t] = j.value == 0 ? products : add_words(pairs[t], products);
      KELDA_PIN(pairs[t]);
    });
  });
  const __m256i one = _mm256_set1_epi16(1);
  I32x16 factor = {one, one};
  if constexpr (W::kFactors != Factors::kNone) factor = W::factor_words(unit, i, 0);
  unrolled<T>([&](auto t) __attribute__((always_inline)) {
    out[t] = widened(pairs[t], factor);
    if constexpr (W::kBias != 0) out[t] = out[t] - times<W::kBias>(I32x16::broadcast(x.sum[t * x.step]));
  });
}

// For each half (the first in the low 128 bits) Σ kBias · q over every other pair of columns, as the 16-bit
// sums below have it: what the bias of the codes adds to them.
template <int kBias>
inline __m256i bias_of_halves(const int8_t* q) {
  const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(kBias), codes);
  pairs = _mm256_add_epi16(pairs, _mm256_shuffle_epi32(pairs, _MM_SHUFFLE(1, 0, 3, 2)));
  return _mm256_add_epi16(pairs, _mm256_shuffle_epi32(pairs, _MM_SHUFFLE(2, 3, 0, 1)));
}

// Codes up to 63, and factors for each half. Sums of 4 products of pairs fit 16 bits: up to 31 (5 bits) as
// they stand, 4 · 2 · 31 · 127 = 31496; 6-bit codes once the bias is taken off, 4 · 2 · 32 · 127 = 32512, and
// until then they may wrap. Without factors the bias is taken off at the end, since Σ q is known.
template <typename W, int T>
[[gnu::always_inline]] inline void dot_halves(const typename W::Unit& unit, int i, const BlockInput& x,
                                              I32x16* out) {
  constexpr bool kHasFactors = W::kFactors != Factors::kNone;
  constexpr bool kBiasInHalves = W::kBias != 0 && kHasFactors;
  static_assert(W::kHighestCode <= 31 || (kBiasInHalves && W::kBias == 32));
  const std::byte* codes = unit.codes(i);
  __m256i bias[T];
  if constexpr (kBiasInHalves) {
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      bias[t] = bias_of_halves<W::kBias>(x.q + t * x.stride);
    });
  }
  unrolled<2>([&](auto half) __attribute__((always_inline)) {
    I32x16 pairs[T];
    unrolled<4>([&](auto j) __attribute__((always_inline)) {
      constexpr int kQuad = half.value * 4 + j.value;
      const I32x16 w = W::template quad<kQuad>(codes);
      unrolled<T>([&](auto t) __attribute__((always_inline)) {
        const I32x16 products = pairs_of_products(w, broadcast4(x.q + t * x.stride + kQuad * 4));
        pairs[t] = j.value == 0 ? products : add_words(pairs[t], products);
        KELDA_PIN(pairs[t]);
      });
    });
    const __m256i one = _mm256_set1_epi16(1);
    I32x16 factor = {one, one};
    if constexpr (kHasFactors) factor = W::factor_words(unit, i, half.value);
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      if constexpr (kBiasInHalves) {
        const __m256i b = _mm256_permute2x128_si256(bias[t], bias[t], half.value == 0 ? 0x00 : 0x11);
        pairs[t] = {_mm256_sub_epi16(pairs[t].lo, b), _mm256_sub_epi16(pairs[t].hi, b)};
      }
      const I32x16 sum = widened(pairs[t], factor);
      out[t] = half.value == 0 ? sum : out[t] + sum;
    });
  });
  if constexpr (W::kBias != 0 && !kBiasInHalves) {
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      out[t] = out[t] - times<W::kBias>(I32x16::broadcast(x.sum[t * x.step]));
    });
  }
}

// Signed codes, stored with a bias of 128. |code| ≤ 128 and |q| ≤ 127 never reach saturation: so the code
// gives up its sign to q.
template <typename W, int T>
[[gnu::always_inline]] inline void dot_signed(const typename W::Unit& unit, int i, const BlockInput& x,
                                              I32x16* out) {
  static_assert(W::kBias == 128);
  const std::byte* codes = unit.codes(i);
  const __m256i one = _mm256_set1_epi16(1);
  unrolled<8>([&](auto n) __attribute__((always_inline)) {
    const I32x16 w = W::template quad<n.value>(codes) ^ I32x16::bytes(0x80);
    const I32x16 size = {_mm256_abs_epi8(w.lo), _mm256_abs_epi8(w.hi)};
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      const __m256i q = broadcast4(x.q + t * x.stride + n.value * 4);
      const I32x16 products = {_mm256_maddubs_epi16(size.lo, _mm256_sign_epi8(q, w.lo)),
                               _mm256_maddubs_epi16(size.hi, _mm256_sign_epi8(q, w.hi))};
      const I32x16 quads = widened(products, {one, one});
      out[t] = n.value == 0 ? quads : out[t] + quads;
      KELDA_PIN(out[t]);
    });
  });
  if constexpr (W::kFactors != Factors::kNone) {
    const I32x16 factor = W::factor(unit, i, 0);
    unrolled<T>([&](auto t) __attribute__((always_inline)) { out[t] = out[t] * factor; });
  }
}

struct Lanes {
  using F = F32x16;
  using I = I32x16;
  static constexpr bool kHasDot4 = false;
  static constexpr int kGroups = 1, kTokens = 4, kTokensOfHalves = 4;          // of a quantised tile
  static constexpr int kFloatGroups = 1, kFloatTokens = 4, kFloatStreams = 4;  // of a float one

  // out[t] = Σ factor·code·q over block i of a unit.
  template <typename W, int T>
  [[gnu::always_inline]] static inline void dot(const typename W::Unit& unit, int i, const BlockInput& x,
                                                I* out) {
    if constexpr (W::kHighestCode > 63) {
      dot_signed<W, T>(unit, i, x, out);
    } else if constexpr (W::kHighestCode > 15 || W::kFactors == Factors::kOfHalves) {
      dot_halves<W, T>(unit, i, x, out);
    } else {
      dot_nibbles<W, T>(unit, i, x, out);
    }
  }
  // Σ of 16 signed bytes.
  static int32_t sum16(const int8_t* q) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    __m128i x = _mm_madd_epi16(_mm_maddubs_epi16(_mm_set1_epi8(1), bytes), _mm_set1_epi16(1));
    x = _mm_add_epi32(x, _mm_unpackhi_epi64(x, x));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
  }
  static void prefetch(const std::byte* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
};

}  // namespace
}  // namespace kelda::kernels::avx2
