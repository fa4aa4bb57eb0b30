// Q4_1 matmul with AVX2.
#include "quant/formats/q4_1.h"

#include "kernels/avx2/matmul_nibbles.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q4_1;

struct Q4_1 : Nibbles<0> {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kHasMin = true;
  static_assert(kBlockBytes == layout::kBlockVectors);
  static inline Floats scale(const std::byte* unit, int i) {
    return load_halves(unit + layout::kScales + i * 32);
  }
  static inline Floats min(const std::byte* unit, int i) {
    return load_halves(unit + layout::kMins + i * 32);
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
