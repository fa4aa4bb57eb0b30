#include "kernels/avx2/quantize.h"

#include <immintrin.h>
#include <string.h>

namespace kelda::kernels::avx2 {
namespace {

constexpr int kBlock = quant::kActBlock;

inline __m256 absolute(__m256 v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }

// Σ x² by the 16-lane tree.
float sum_of_squares(const float* x, int64_t n) {
  __m256 low = _mm256_setzero_ps(), high = _mm256_setzero_ps();
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256 a = _mm256_loadu_ps(x + i), b = _mm256_loadu_ps(x + i + 8);
    low = _mm256_fmadd_ps(a, a, low);
    high = _mm256_fmadd_ps(b, b, high);
  }
  if (i < n) {
    float tail[16] = {};
    memcpy(tail, x + i, static_cast<size_t>(n - i) * sizeof(float));
    const __m256 a = _mm256_loadu_ps(tail), b = _mm256_loadu_ps(tail + 8);
    low = _mm256_fmadd_ps(a, a, low);
    high = _mm256_fmadd_ps(b, b, high);
  }
  const __m256 by8 = _mm256_add_ps(low, high);
  const __m128 by4 = _mm_add_ps(_mm256_castps256_ps128(by8), _mm256_extractf128_ps(by8, 1));
  const __m128 by2 = _mm_add_ps(by4, _mm_movehl_ps(by4, by4));
  return _mm_cvtss_f32(_mm_add_ss(by2, _mm_shuffle_ps(by2, by2, 1)));
}

float outlier_limit(const float* x, int64_t n) {
  const float mean_square = sum_of_squares(x, n) / static_cast<float>(n);
  if (mean_square < 0x1p-100f) return __builtin_inff();
  return kOutlierLimit * _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean_square)));
}

inline int32_t sum_of_lanes(__m256i v) {
  const __m128i by4 = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  const __m128i by2 = _mm_add_epi32(by4, _mm_unpackhi_epi64(by4, by4));
  return _mm_cvtsi128_si32(_mm_add_epi32(by2, _mm_shuffle_epi32(by2, 1)));
}

// Largest magnitude, as the bits of the float: their order as integers is that of the floats, with infinity
// and then NaN above all numbers.
inline int32_t largest_magnitude(const __m256 x[4]) {
  const __m256i a =
      _mm256_max_epi32(_mm256_castps_si256(absolute(x[0])), _mm256_castps_si256(absolute(x[1])));
  const __m256i b =
      _mm256_max_epi32(_mm256_castps_si256(absolute(x[2])), _mm256_castps_si256(absolute(x[3])));
  const __m256i by8 = _mm256_max_epi32(a, b);
  const __m128i by4 = _mm_max_epi32(_mm256_castsi256_si128(by8), _mm256_extracti128_si256(by8, 1));
  const __m128i by2 = _mm_max_epi32(by4, _mm_unpackhi_epi64(by4, by4));
  return _mm_cvtsi128_si32(_mm_max_epi32(by2, _mm_shuffle_epi32(by2, 1)));
}

void quantize_block(const __m256 x[4], int8_t* q, float* scale, int32_t* sum) {
  const int32_t bits = largest_magnitude(x);
  const float largest = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(bits)));
  const bool finite = bits < 0x7F800000;
  if (!finite || largest < 0x1p-100f) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), _mm256_setzero_si256());
    *scale = finite ? 0.0f : __builtin_nanf("");
    *sum = 0;
    return;
  }
  *scale = largest / 127.0f;
  const __m256 inverse = _mm256_set1_ps(127.0f / largest);
  const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(x[0], inverse));
  const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(x[1], inverse));
  const __m256i c = _mm256_cvtps_epi32(_mm256_mul_ps(x[2], inverse));
  const __m256i d = _mm256_cvtps_epi32(_mm256_mul_ps(x[3], inverse));
  *sum = sum_of_lanes(_mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d)));
  // The packs work on 128-bit halves; the permutation puts the dwords back in order.
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), ordered);
}

// Moves the outliers of one block (`block`, columns from `first`) to the row's list and leaves 0 in their
// place.
int32_t take_outliers(float* block, int64_t first, float limit, const QuantizedRows& out, int64_t row,
                      int32_t n) {
  for (int i = 0; i < kBlock; ++i) {
    if (__builtin_fabsf(block[i]) > limit && n < out.max_outliers) {
      out.outlier_k[row * out.max_outliers + n] = static_cast<int32_t>(first + i);
      out.outlier_x[row * out.max_outliers + n] = block[i];
      block[i] = 0;
      ++n;
    }
  }
  return n;
}

inline void load_block(const float* x, __m256 v[4]) {
  for (int i = 0; i < 4; ++i) v[i] = _mm256_loadu_ps(x + 8 * i);
}

}  // namespace

void quantize_row(const float* x, const QuantizedRows& out, int64_t row) noexcept {
  const float limit = outlier_limit(x, out.cols);
  const __m256 limits = _mm256_set1_ps(limit);
  int8_t* q = out.q + row * out.stride;
  int32_t n_outliers = 0;
  for (int64_t kb = 0; kb < out.n_blocks; ++kb) {
    const int64_t first = kb * kBlock;
    float copy[kBlock] = {};
    const float* block = x + first;
    if (first + kBlock > out.cols) {
      memcpy(copy, block, static_cast<size_t>(out.cols - first) * sizeof(float));
      block = copy;
    }
    __m256 v[4];
    load_block(block, v);
    const __m256 top = _mm256_max_ps(_mm256_max_ps(absolute(v[0]), absolute(v[1])),
                                     _mm256_max_ps(absolute(v[2]), absolute(v[3])));
    if (_mm256_movemask_ps(_mm256_cmp_ps(top, limits, _CMP_GT_OQ)) != 0) {
      if (block != copy) memcpy(copy, block, sizeof copy);
      n_outliers = take_outliers(copy, first, limit, out, row, n_outliers);
      load_block(copy, v);
    }
    const int64_t i = row * out.n_blocks + kb;
    quantize_block(v, q + first, out.scale + i, out.sum + i);
  }
  out.n_outliers[row] = n_outliers;
  memset(q + out.n_blocks * kBlock, 0, static_cast<size_t>(out.stride - out.n_blocks * kBlock));
}

}  // namespace kelda::kernels::avx2
