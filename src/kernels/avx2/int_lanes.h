// Sixteen integers, or four bytes in each of sixteen lanes, as two AVX2 registers: beside F32x16 of lanes.h.
#pragma once

#include <immintrin.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

#include "kernels/avx2/lanes.h"

namespace kelda::kernels::avx2 {
namespace {

// For _mm256_shuffle_epi8: byte k of each dword to both of its 16-bit halves.
struct BytePlaces {
  alignas(32) int8_t of_byte[4][32];
  constexpr BytePlaces() : of_byte() {
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 32; ++i) {
        of_byte[k][i] = i % 2 == 0 ? static_cast<int8_t>(i % 16 / 4 * 4 + k) : int8_t{-128};
      }
    }
  }
};
constexpr BytePlaces kBytePlaces;

struct I32x16 {
  __m256i lo, hi;

  static I32x16 broadcast(int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
  static I32x16 bytes(int x) {
    const __m256i all = _mm256_set1_epi8(static_cast<char>(x));
    return {all, all};
  }
  static I32x16 load(const std::byte* p) {  // 64-byte aligned
    return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p)),
            _mm256_load_si256(reinterpret_cast<const __m256i*>(p + 32))};
  }
  static I32x16 load_u8(const std::byte* p) {
    return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))),
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 8)))};
  }
  static I32x16 load_u16(const std::byte* p) {
    return {_mm256_cvtepu16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(p))),
            _mm256_cvtepu16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(p + 16)))};
  }
  void store(std::byte* p) const {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), lo);
    _mm256_store_si256(reinterpret_cast<__m256i*>(p + 32), hi);
  }

  friend I32x16 operator&(I32x16 a, I32x16 b) {
    return {_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)};
  }
  friend I32x16 operator|(I32x16 a, I32x16 b) {
    return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)};
  }
  friend I32x16 operator^(I32x16 a, I32x16 b) {
    return {_mm256_xor_si256(a.lo, b.lo), _mm256_xor_si256(a.hi, b.hi)};
  }
  friend I32x16 operator+(I32x16 a, I32x16 b) {
    return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)};
  }
  friend I32x16 operator-(I32x16 a, I32x16 b) {
    return {_mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi)};
  }
  friend I32x16 operator*(I32x16 a, I32x16 b) {
    return {_mm256_mullo_epi32(a.lo, b.lo), _mm256_mullo_epi32(a.hi, b.hi)};
  }
  // Each integer times 2^kBits.
  template <int kBits>
  I32x16 up() const {
    return {_mm256_slli_epi32(lo, kBits), _mm256_slli_epi32(hi, kBits)};
  }
  // Each integer moved by `bits`; the right shift leaves the sign behind.
  I32x16 left(int bits) const {
    const __m128i n = _mm_cvtsi32_si128(bits);
    return {_mm256_sll_epi32(lo, n), _mm256_sll_epi32(hi, n)};
  }
  I32x16 right(int bits) const {
    const __m128i n = _mm_cvtsi32_si128(bits);
    return {_mm256_srl_epi32(lo, n), _mm256_srl_epi32(hi, n)};
  }
  I32x16 right_signed(int bits) const {
    const __m128i n = _mm_cvtsi32_si128(bits);
    return {_mm256_sra_epi32(lo, n), _mm256_sra_epi32(hi, n)};
  }
  // Bits move within 16-bit words, left by kN, which may be negative: what crosses into a byte's neighbour is
  // for the caller to mask away.
  template <int kN>
  I32x16 words_left() const {
    if constexpr (kN == 0) return *this;
    if constexpr (kN > 0) return {_mm256_slli_epi16(lo, kN), _mm256_slli_epi16(hi, kN)};
    return {_mm256_srli_epi16(lo, -kN), _mm256_srli_epi16(hi, -kN)};
  }
  // Byte k (0 … 3) of each lane in both of its 16-bit words: unsigned, and signed.
  I32x16 byte_in_words(int k) const {
    const int8_t* bytes = kBytePlaces.of_byte[k];
    const __m256i places = _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
    return {_mm256_shuffle_epi8(lo, places), _mm256_shuffle_epi8(hi, places)};
  }
  I32x16 signed_byte_in_words(int k) const {
    const I32x16 v = byte_in_words(k);
    return {_mm256_srai_epi16(_mm256_slli_epi16(v.lo, 8), 8),
            _mm256_srai_epi16(_mm256_slli_epi16(v.hi, 8), 8)};
  }
  I32x16 words_minus(int16_t x) const {
    const __m256i all = _mm256_set1_epi16(x);
    return {_mm256_sub_epi16(lo, all), _mm256_sub_epi16(hi, all)};
  }
  // Each byte (0 … 15) replaced by the table's.
  I32x16 looked_up(const uint8_t (&table)[16]) const {
    const __m256i numbers =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
    return {_mm256_shuffle_epi8(numbers, lo), _mm256_shuffle_epi8(numbers, hi)};
  }
  // The lanes of `a` where this is less than `limit`, else those of `b`.
  I32x16 less_than(int32_t limit, I32x16 a, I32x16 b) const {
    const __m256i limits = _mm256_set1_epi32(limit);
    return {_mm256_blendv_epi8(b.lo, a.lo, _mm256_cmpgt_epi32(limits, lo)),
            _mm256_blendv_epi8(b.hi, a.hi, _mm256_cmpgt_epi32(limits, hi))};
  }
  // x · 2^(each lane of `by`), modulo 2^32; 0 from 32 on.
  static I32x16 shifted(int32_t x, I32x16 by) {
    const __m256i all = _mm256_set1_epi32(x);
    return {_mm256_sllv_epi32(all, by.lo), _mm256_sllv_epi32(all, by.hi)};
  }

  F32x16 to_floats() const { return {_mm256_cvtepi32_ps(lo), _mm256_cvtepi32_ps(hi)}; }
  F32x16 as_floats() const { return {_mm256_castsi256_ps(lo), _mm256_castsi256_ps(hi)}; }  // the same bits
};

}  // namespace
}  // namespace kelda::kernels::avx2
