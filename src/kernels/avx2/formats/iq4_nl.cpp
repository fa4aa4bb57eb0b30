// IQ4_NL matmul with AVX2.
#include "quant/formats/iq4_nl.h"

#include "kernels/avx2/matmul_codebook.h"
#include "kernels/avx2/matmul_signed.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::iq4_nl;

struct IQ4_NL {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = false;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_signed<IQ4_NL, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return looked_up(quant::kNonLinear, 0, nibble_quad(codes, n));
  }
  static inline Floats scale(const Unit& unit, int i) {
    return load_halves(unit.p + layout::kScales + i * 32);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return signed_byte(quad(unit.codes(i), k / 4), k % 4);
  }
};

}  // namespace

namespace iq4_nl {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"iq4_nl", matmul_quantized<IQ4_NL>};
  return k;
}
}  // namespace iq4_nl
}  // namespace kelda::kernels::avx2
