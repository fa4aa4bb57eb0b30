// Q5_0 matmul with AVX2.
#include "quant/formats/q5_0.h"

#include "kernels/avx2/matmul_halves.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q5_0;

struct Q5_0 {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = false;
  static constexpr int kBias = layout::kBias;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<Q5_0, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return bits_or(nibble_quad(codes, n), bit_quad(codes + quant::kNibbleBytes, n, 4));
  }
  static inline Floats scale(const Unit& unit, int i) {
    return load_halves(unit.p + layout::kScales + i * 32);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    const Ints code = unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
    return minus(code, all_ints(kBias));
  }
};

}  // namespace

namespace q5_0 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q5_0", matmul_quantized<Q5_0>};
  return k;
}
}  // namespace q5_0
}  // namespace kelda::kernels::avx2
