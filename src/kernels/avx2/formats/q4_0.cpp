// Q4_0 matmul with AVX2.
#include "quant/formats/q4_0.h"

#include "kernels/avx2/matmul_nibbles.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q4_0;

struct Q4_0 : Nibbles<layout::kBias> {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kHasMin = false;
  static_assert(kBlockBytes == layout::kBlockVectors);
  static inline Floats scale(const std::byte* unit, int i) {
    return load_halves(unit + layout::kScales + i * 32);
  }
};

}  // namespace

namespace q4_0 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q4_0", matmul_quantized<Q4_0>};
  return k;
}
}  // namespace q4_0
}  // namespace kelda::kernels::avx2
