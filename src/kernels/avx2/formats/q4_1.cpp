// Q4_1 matmul with AVX2.
#include "quant/formats/q4_1.h"

#include "kernels/avx2/matmul_nibbles.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q4_1;

struct Q4_1 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 1;
  static constexpr bool kFactors = false;
  static constexpr int kBias = 0;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_nibbles<Q4_1, T>(unit, i, x, out);
  }
  static inline Floats scale(const Unit& unit, int i) {
    return load_halves(unit.p + layout::kScales + i * 32);
  }
  static inline Floats min(const Unit& unit, int i, int) {
    return load_halves(unit.p + layout::kMins + i * 32);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return unsigned_byte(nibble_quad(unit.codes(i), k / 4), k % 4);
  }
};

}  // namespace

namespace q4_1 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q4_1", matmul_quantized<Q4_1>};
  return k;
}
}  // namespace q4_1
}  // namespace kelda::kernels::avx2
