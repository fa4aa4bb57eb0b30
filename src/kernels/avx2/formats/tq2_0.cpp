// TQ2_0 matmul with AVX2.
#include "quant/formats/tq2_0.h"

#include "kernels/avx2/matmul_halves.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::tq2_0;

struct TQ2_0 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = layout::kSupers * quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = false;
  static constexpr int kBias = layout::kBias;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<TQ2_0, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) { return bit_pair_quad(codes, n, 0); }
  static inline Floats scale(const Unit& unit, int i) {
    return load_halves(unit.p + i / quant::kBlocksPerSuper * 32);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    const Ints code = unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
    return minus(code, all_ints(kBias));
  }
};

}  // namespace

namespace tq2_0 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"tq2_0", matmul_quantized<TQ2_0>};
  return k;
}
}  // namespace tq2_0
}  // namespace kelda::kernels::avx2
