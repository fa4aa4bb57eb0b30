// IQ4_XS matmul with AVX2.
#include "quant/formats/iq4_xs.h"

#include "kernels/avx2/matmul_codebook.h"
#include "kernels/avx2/matmul_signed.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::iq4_xs;

struct IQ4_XS {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = true;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_signed<IQ4_XS, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return looked_up(quant::kNonLinear, 0, nibble_quad(codes, n));
  }
  static inline Floats scale(const Unit& unit, int) { return load_halves(unit.p + 32); }
  static inline Ints factor(const Unit& unit, int i, int) {
    const auto high_of = [&](int at) {
      return _mm256_cvtepu16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(unit.p + at)));
    };
    const Ints high = bits_and(shifted_right({high_of(0), high_of(16)}, 2 * i), all_ints(3));
    const Ints low = bits_and(shifted_right(load_ints(unit.p + layout::kFactorsLow), 4 * i), all_ints(0xF));
    return minus(bits_or(low, moved_left(high, 4)), all_ints(layout::kFactorBias));
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return signed_byte(quad(unit.codes(i), k / 4), k % 4);
  }
};

}  // namespace

namespace iq4_xs {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"iq4_xs", matmul_quantized<IQ4_XS>};
  return k;
}
}  // namespace iq4_xs
}  // namespace kelda::kernels::avx2
