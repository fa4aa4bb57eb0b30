// Q8_0 matmul with AVX2.
#include "quant/formats/q8_0.h"

#include "kernels/avx2/matmul_signed.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q8_0;

struct Q8_0 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = false;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_signed<Q8_0, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    const Ints stored = load_ints(codes + n * 64), flip = all_bytes(layout::kSignFlip);
    return {_mm256_xor_si256(stored.low, flip.low), _mm256_xor_si256(stored.high, flip.high)};
  }
  static inline Floats scale(const Unit& unit, int i) {
    return load_halves(unit.p + layout::kScales + i * 32);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return signed_byte(quad(unit.codes(i), k / 4), k % 4);
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
