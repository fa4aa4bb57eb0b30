// MXFP4 matmul with AVX2.
#include "quant/formats/mxfp4.h"

#include "kernels/avx2/matmul_codebook.h"
#include "kernels/avx2/matmul_halves.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::mxfp4;

struct MXFP4 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = layout::kBlocks;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = false;
  static constexpr int kBias = 12;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<MXFP4, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return looked_up(layout::kDoubled, kBias, nibble_quad(codes, n));
  }
  static inline Floats scale(const Unit& unit, int i) {
    const auto powers = [&](int at) {
      const std::byte* bytes = unit.p + layout::kExponents + i * quant::kLanes + at;
      const __m256i exponent = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
      const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(1)), 23);
      const __m256i denormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), exponent);
      const __m256i is_denormal = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), exponent);
      return _mm256_castsi256_ps(_mm256_blendv_epi8(normal, denormal, is_denormal));
    };
    return {powers(0), powers(8)};
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    const Ints code = unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
    return minus(code, all_ints(kBias));
  }
};

}  // namespace

namespace mxfp4 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"mxfp4", matmul_quantized<MXFP4>};
  return k;
}
}  // namespace mxfp4
}  // namespace kelda::kernels::avx2
