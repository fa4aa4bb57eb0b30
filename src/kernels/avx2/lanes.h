// Sixteen float lanes as two AVX2 registers: the backend of the templates in kernels/vector.
// Everything is inline and in an anonymous namespace, so that no symbol leaves the file that includes it.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "base/half.h"
#include "base/math.h"

namespace kelda::kernels::avx2 {
namespace {

// Lane i holds element i mod 16 of a row: `lo` are lanes 0 … 7, `hi` are lanes 8 … 15.
struct F32x16 {
  __m256 lo, hi;

  static F32x16 broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static F32x16 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static F32x16 load(const f16* p) {
    return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)))};
  }
  // The first `count` elements (0 … 16); the other lanes are +0 and their memory is not touched.
  static F32x16 load_first(const float* p, int64_t count) {
    return {_mm256_maskload_ps(p, first(count)), _mm256_maskload_ps(p + 8, first(count - 8))};
  }
  void store(float* p) const {
    _mm256_storeu_ps(p, lo);
    _mm256_storeu_ps(p + 8, hi);
  }
  void store(f16* p) const {
    constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(lo, kNearest));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 8), _mm256_cvtps_ph(hi, kNearest));
  }
  void store_first(float* p, int64_t count) const {
    _mm256_maskstore_ps(p, first(count), lo);
    _mm256_maskstore_ps(p + 8, first(count - 8), hi);
  }
  // Elements p[0], p[2], … p[30] and p[1], p[3], … p[31], and back.
  static void load_pairs(const float* p, F32x16& even, F32x16& odd) {
    split(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), even.lo, odd.lo);
    split(_mm256_loadu_ps(p + 16), _mm256_loadu_ps(p + 24), even.hi, odd.hi);
  }
  static void store_pairs(float* p, F32x16 even, F32x16 odd) {
    join(even.lo, odd.lo, p);
    join(even.hi, odd.hi, p + 16);
  }

  friend F32x16 operator+(F32x16 a, F32x16 b) {
    return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
  }
  friend F32x16 operator-(F32x16 a, F32x16 b) {
    return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
  }
  friend F32x16 operator*(F32x16 a, F32x16 b) {
    return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
  }
  friend F32x16 operator/(F32x16 a, F32x16 b) {
    return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
  }
  F32x16 operator-() const {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return {_mm256_xor_ps(lo, sign), _mm256_xor_ps(hi, sign)};
  }
  // a b + c, rounded once.
  static F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
    return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
  }
  // b where a is not larger: a NaN in a is passed over.
  static F32x16 larger(F32x16 a, F32x16 b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
  // True if any lane equals its counterpart.
  static bool any_equal(F32x16 a, F32x16 b) {
    const __m256 lo = _mm256_cmp_ps(a.lo, b.lo, _CMP_EQ_OQ), hi = _mm256_cmp_ps(a.hi, b.hi, _CMP_EQ_OQ);
    return _mm256_movemask_ps(_mm256_or_ps(lo, hi)) != 0;
  }
  // Lanes from … to (inclusive, any integers) of `inside`, `outside` in the others.
  static F32x16 choose(int64_t from, int64_t to, F32x16 inside, F32x16 outside) {
    const __m256i before = _mm256_set1_epi32(static_cast<int>(from) - 1);
    const __m256i behind = _mm256_set1_epi32(static_cast<int>(to) + 1);
    const auto pick = [&](__m256i lane, __m256 in, __m256 out) {
      const __m256i mask =
          _mm256_and_si256(_mm256_cmpgt_epi32(lane, before), _mm256_cmpgt_epi32(behind, lane));
      return _mm256_blendv_ps(out, in, _mm256_castsi256_ps(mask));
    };
    return {pick(lane_numbers(0), inside.lo, outside.lo), pick(lane_numbers(8), inside.hi, outside.hi)};
  }
  F32x16 exp2() const { return {exp2(lo), exp2(hi)}; }
  F32x16 tanh() const { return {tanh(lo), tanh(hi)}; }

  // The 16-lane tree.
  float sum() const {
    const __m256 eight = _mm256_add_ps(lo, hi);
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  float max() const {
    const __m256 eight = _mm256_max_ps(lo, hi);
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
  }

 private:
  static __m256i lane_numbers(int start) {
    return _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(start));
  }
  static __m256i first(int64_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane_numbers(0));
  }
  static void split(__m256 a, __m256 b, __m256& even, __m256& odd) {
    const auto order = [](__m256 x) {
      return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), _MM_SHUFFLE(3, 1, 2, 0)));
    };
    even = order(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
    odd = order(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
  }
  static void join(__m256 even, __m256 odd, float* p) {
    const __m256 a = _mm256_unpacklo_ps(even, odd), b = _mm256_unpackhi_ps(even, odd);
    _mm256_storeu_ps(p, _mm256_permute2f128_ps(a, b, 0x20));
    _mm256_storeu_ps(p + 8, _mm256_permute2f128_ps(a, b, 0x31));
  }
  // exp2_f32 of base/math.h. Its two multiplications by powers of two are exact, since the result of an x in
  // [-126, 128) is a normal number; adding n to the exponent gives the same bits.
  static __m256 exp2(__m256 x) {
    const __m256 n = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 f = _mm256_sub_ps(x, n);
    __m256 p = _mm256_set1_ps(kExp2Poly[5]);
    for (int i = 4; i >= 0; --i) p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(kExp2Poly[i]));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(1.0f));
    const __m256i scaled =
        _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23));
    const __m256 too_small = _mm256_cmp_ps(x, _mm256_set1_ps(-126.0f), _CMP_LT_OQ);
    const __m256 too_large = _mm256_cmp_ps(x, _mm256_set1_ps(128.0f), _CMP_GE_OQ);
    const __m256 infinity = _mm256_set1_ps(__builtin_inff());
    return _mm256_andnot_ps(too_small, _mm256_blendv_ps(_mm256_castsi256_ps(scaled), infinity, too_large));
  }
  // tanh_f32 of base/math.h.
  static __m256 tanh(__m256 x) {
    const __m256 sign = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1.0f);
    __m256 y = _mm256_mul_ps(_mm256_andnot_ps(sign, x), _mm256_set1_ps(kTanhScale));
    y = _mm256_min_ps(_mm256_set1_ps(kTanhLimit), y);  // in this order a NaN stays
    const __m256 n = _mm256_round_ps(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 f = _mm256_sub_ps(y, n);
    __m256 p = _mm256_set1_ps(kExp2Poly[5]);
    for (int i = 4; i >= 0; --i) p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(kExp2Poly[i]));
    const __m256 power = _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
    const __m256 e = _mm256_fmadd_ps(_mm256_mul_ps(p, f), power, _mm256_sub_ps(power, one));
    const __m256 r = _mm256_div_ps(e, _mm256_add_ps(e, _mm256_set1_ps(2.0f)));
    return _mm256_or_ps(r, _mm256_and_ps(sign, x));
  }
};

}  // namespace
}  // namespace kelda::kernels::avx2
