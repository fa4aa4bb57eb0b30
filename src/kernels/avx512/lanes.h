// Sixteen lanes as one AVX-512 register: the backend of the templates in kernels/vector.
// Everything is inline and in an anonymous namespace, so that no symbol leaves the file that includes it.
#pragma once

#include <immintrin.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

#include "base/half.h"
#include "base/math.h"

namespace kelda::kernels::avx512 {
namespace {

struct I32x16;

// Lane i holds element i mod 16 of a row.
struct F32x16 {
  __m512 v;

  static F32x16 broadcast(float x) { return {_mm512_set1_ps(x)}; }
  static F32x16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static F32x16 load(const f16* p) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  // The first `count` elements (0 … 16); the other lanes are +0 and their memory is not touched.
  static F32x16 load_first(const float* p, int64_t count) {
    return {_mm512_maskz_loadu_ps(between(0, count - 1), p)};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store(f16* p) const {
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, kNearest));
  }
  void store_first(float* p, int64_t count) const { _mm512_mask_storeu_ps(p, between(0, count - 1), v); }
  // Elements p[0], p[2], … p[30] and p[1], p[3], … p[31], and back.
  static void load_pairs(const float* p, F32x16& even, F32x16& odd) {
    const __m512 a = _mm512_loadu_ps(p), b = _mm512_loadu_ps(p + 16);
    even.v = _mm512_permutex2var_ps(a, every_other(0), b);
    odd.v = _mm512_permutex2var_ps(a, every_other(1), b);
  }
  static void store_pairs(float* p, F32x16 even, F32x16 odd) {
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    _mm512_storeu_ps(p, _mm512_permutex2var_ps(even.v, low, odd.v));
    _mm512_storeu_ps(p + 16, _mm512_permutex2var_ps(even.v, high, odd.v));
  }

  friend F32x16 operator+(F32x16 a, F32x16 b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend F32x16 operator-(F32x16 a, F32x16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend F32x16 operator*(F32x16 a, F32x16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend F32x16 operator/(F32x16 a, F32x16 b) { return {_mm512_div_ps(a.v, b.v)}; }
  F32x16 operator-() const { return {_mm512_xor_ps(v, _mm512_set1_ps(-0.0f))}; }
  // a b + c, rounded once.
  static F32x16 fma(F32x16 a, F32x16 b, F32x16 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  // b where a is not larger: a NaN in a is passed over.
  static F32x16 larger(F32x16 a, F32x16 b) { return {_mm512_max_ps(a.v, b.v)}; }
  // True if any lane equals its counterpart.
  static bool any_equal(F32x16 a, F32x16 b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ) != 0; }
  // Lanes from … to (inclusive, any integers) of `inside`, `outside` in the others.
  static F32x16 choose(int64_t from, int64_t to, F32x16 inside, F32x16 outside) {
    return {_mm512_mask_blend_ps(between(from, to), outside.v, inside.v)};
  }
  // exp2_f32 of base/math.h. Its two multiplications by powers of two are exact, since the result of an x in
  // [-126, 128) is a normal number; adding n to the exponent gives the same bits.
  F32x16 exp2() const {
    const __m512 n = rounded(v);
    const __m512 p =
        _mm512_fmadd_ps(exp2_tail(_mm512_sub_ps(v, n)), _mm512_sub_ps(v, n), _mm512_set1_ps(1.0f));
    const __m512i scaled =
        _mm512_add_epi32(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_cvtps_epi32(n), 23));
    const __mmask16 too_small = _mm512_cmp_ps_mask(v, _mm512_set1_ps(-126.0f), _CMP_LT_OQ);
    const __mmask16 too_large = _mm512_cmp_ps_mask(v, _mm512_set1_ps(128.0f), _CMP_GE_OQ);
    const __m512 infinity = _mm512_set1_ps(__builtin_inff());
    const __m512 r = _mm512_mask_blend_ps(too_large, _mm512_castsi512_ps(scaled), infinity);
    return {_mm512_mask_blend_ps(too_small, r, _mm512_setzero_ps())};
  }
  // tanh_f32 of base/math.h.
  F32x16 tanh() const {
    const __m512 sign = _mm512_set1_ps(-0.0f), one = _mm512_set1_ps(1.0f);
    __m512 y = _mm512_mul_ps(_mm512_andnot_ps(sign, v), _mm512_set1_ps(kTanhScale));
    y = _mm512_min_ps(_mm512_set1_ps(kTanhLimit), y);  // in this order a NaN stays
    const __m512 n = rounded(y), f = _mm512_sub_ps(y, n);
    const __m512 power = _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127)), 23));
    const __m512 e = _mm512_fmadd_ps(_mm512_mul_ps(exp2_tail(f), f), power, _mm512_sub_ps(power, one));
    const __m512 r = _mm512_div_ps(e, _mm512_add_ps(e, _mm512_set1_ps(2.0f)));
    return {_mm512_or_ps(r, _mm512_and_ps(sign, v))};
  }

  // The 16-lane tree.
  float sum() const {
    const __m256 eight = _mm256_add_ps(low_half(), high_half());
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  float max() const {
    const __m256 eight = _mm256_max_ps(low_half(), high_half());
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
  }

 private:
  __m256 low_half() const { return _mm512_castps512_ps256(v); }
  __m256 high_half() const { return _mm512_extractf32x8_ps(v, 1); }
  static __m512 rounded(__m512 x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  // (exp2(f) − 1) / f as its polynomial has it.
  static __m512 exp2_tail(__m512 f) {
    __m512 p = _mm512_set1_ps(kExp2Poly[5]);
    for (int i = 4; i >= 0; --i) p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(kExp2Poly[i]));
    return p;
  }
  static __m512i every_other(int first) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_add_epi32(even, _mm512_set1_epi32(first));
  }
  // A mask of the lanes from … to.
  static __mmask16 between(int64_t from, int64_t to) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_mask_cmple_epi32_mask(
        _mm512_cmpge_epi32_mask(lane, _mm512_set1_epi32(static_cast<int>(from))), lane,
        _mm512_set1_epi32(static_cast<int>(to)));
  }
};

// Sixteen integers, or four bytes in each of sixteen lanes.
struct I32x16 {
  __m512i v;

  static I32x16 broadcast(int32_t x) { return {_mm512_set1_epi32(x)}; }
  static I32x16 bytes(int x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
  static I32x16 load(const std::byte* p) { return {_mm512_load_si512(p)}; }  // 64-byte aligned
  static I32x16 load_u8(const std::byte* p) {
    return {_mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  static I32x16 load_u16(const std::byte* p) {
    return {_mm512_cvtepu16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  // The same four bytes in every lane.
  static I32x16 broadcast4(const int8_t* p) {
    int32_t dword;
    memcpy(&dword, p, sizeof dword);
    return {_mm512_set1_epi32(dword)};
  }
  void store(std::byte* p) const { _mm512_store_si512(p, v); }

  friend I32x16 operator&(I32x16 a, I32x16 b) { return {_mm512_and_si512(a.v, b.v)}; }
  friend I32x16 operator|(I32x16 a, I32x16 b) { return {_mm512_or_si512(a.v, b.v)}; }
  friend I32x16 operator+(I32x16 a, I32x16 b) { return {_mm512_add_epi32(a.v, b.v)}; }
  friend I32x16 operator-(I32x16 a, I32x16 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
  friend I32x16 operator*(I32x16 a, I32x16 b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
  // Each integer times 2^kBits.
  template <int kBits>
  I32x16 up() const {
    return {_mm512_slli_epi32(v, kBits)};
  }
  // Each integer moved by `bits`; the right shift leaves the sign behind.
  I32x16 left(int bits) const { return {_mm512_sll_epi32(v, _mm_cvtsi32_si128(bits))}; }
  I32x16 right(int bits) const { return {_mm512_srl_epi32(v, _mm_cvtsi32_si128(bits))}; }
  I32x16 right_signed(int bits) const { return {_mm512_sra_epi32(v, _mm_cvtsi32_si128(bits))}; }
  // Bits move within 16-bit words, left by kN, which may be negative: what crosses into a byte's neighbour is
  // for the caller to mask away.
  template <int kN>
  I32x16 words_left() const {
    if constexpr (kN == 0) return *this;
    if constexpr (kN > 0) return {_mm512_slli_epi16(v, kN)};
    return {_mm512_srli_epi16(v, -kN)};
  }
  // sum + Σ of the four products of unsigned bytes of `codes` and signed ones of `q`, in each lane.
  static I32x16 dot4(I32x16 sum, I32x16 codes, I32x16 q) {
    return {_mm512_dpbusd_epi32(sum.v, codes.v, q.v)};
  }
  // Each byte (0 … 15) replaced by the table's.
  I32x16 looked_up(const uint8_t (&table)[16]) const {
    const __m128i numbers = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
    return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(numbers), v)};
  }
  // The lanes of `a` where this is less than `limit`, else those of `b`.
  I32x16 less_than(int32_t limit, I32x16 a, I32x16 b) const {
    return {_mm512_mask_blend_epi32(_mm512_cmplt_epi32_mask(v, _mm512_set1_epi32(limit)), b.v, a.v)};
  }
  // x · 2^(each lane of `by`), modulo 2^32; 0 from 32 on.
  static I32x16 shifted(int32_t x, I32x16 by) { return {_mm512_sllv_epi32(_mm512_set1_epi32(x), by.v)}; }

  F32x16 to_floats() const { return {_mm512_cvtepi32_ps(v)}; }
  F32x16 as_floats() const { return {_mm512_castsi512_ps(v)}; }  // the same bits
};

struct Lanes {
  using F = F32x16;
  using I = I32x16;
  static constexpr bool kHasDot4 = true;
  static constexpr int kGroups = 2, kTokens = 6, kTokensOfHalves = 4;          // of a quantised tile
  static constexpr int kFloatGroups = 4, kFloatTokens = 4, kFloatStreams = 4;  // of a float one

  // Σ of 16 signed bytes.
  static int32_t sum16(const int8_t* q) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    __m128i x = _mm_dpbusd_epi32(_mm_setzero_si128(), _mm_set1_epi8(1), bytes);
    x = _mm_add_epi32(x, _mm_unpackhi_epi64(x, x));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
  }
  static void prefetch(const std::byte* p) { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }
};

}  // namespace
}  // namespace kelda::kernels::avx512
