// Q8_0 matmul with AVX2.
#include "quant/formats/q8_0.h"

#include "kernels/avx2/matmul_quantized.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q8_0;

// AVX2 multiplies unsigned by signed bytes and adds the products in pairs, saturating at 16 bits, which
// |code| ≤ 128 and |q| ≤ 127 never reach: so the code gives up its sign to q.
struct Q8_0 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kBlockBytes = layout::kBlockVectors;
  static constexpr bool kHasMin = false;

  template <int T>
  static inline void dot(const std::byte* codes, const int8_t* q, int64_t stride, const int32_t*, int64_t,
                         Ints* out) {
    const __m256i flip = _mm256_set1_epi8(static_cast<char>(layout::kSignFlip));
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      const Ints stored = load_ints(codes + v * 64);
      const Ints w = {_mm256_xor_si256(stored.low, flip), _mm256_xor_si256(stored.high, flip)};
      const Ints size = {_mm256_abs_epi8(w.low), _mm256_abs_epi8(w.high)};
#pragma GCC unroll 4
      for (int t = 0; t < T; ++t) {
        const __m256i x = broadcast4(q + t * stride + v * 4);
        const __m256i low = _mm256_maddubs_epi16(size.low, _mm256_sign_epi8(x, w.low));
        const __m256i high = _mm256_maddubs_epi16(size.high, _mm256_sign_epi8(x, w.high));
        const Ints quads = {_mm256_madd_epi16(low, ones), _mm256_madd_epi16(high, ones)};
        out[t].low = v == 0 ? quads.low : _mm256_add_epi32(out[t].low, quads.low);
        out[t].high = v == 0 ? quads.high : _mm256_add_epi32(out[t].high, quads.high);
        KELDA_PIN(out[t].low);
        KELDA_PIN(out[t].high);
      }
    }
  }

  static inline Floats scale(const std::byte* unit, int i) {
    return load_halves(unit + layout::kScales + i * 32);
  }

  static inline Ints column(const std::byte* codes, int k) {
    const Ints w = shifted_right(load_ints(codes + k / 4 * 64), k % 4 * 8);
    const __m256i mask = _mm256_set1_epi32(0xFF), bias = _mm256_set1_epi32(layout::kSignFlip);
    return {_mm256_sub_epi32(_mm256_and_si256(w.low, mask), bias),
            _mm256_sub_epi32(_mm256_and_si256(w.high, mask), bias)};
  }
};

}  // namespace

namespace q8_0 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q8_0", matmul_quantized<Q8_0>};
  return k;
}
}  // namespace q8_0
}  // namespace kelda::kernels::avx2
