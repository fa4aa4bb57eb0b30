// Q4_K matmul with AVX2.
#include "quant/formats/q4_k.h"

#include "kernels/avx2/matmul_nibbles.h"
#include "kernels/avx2/matmul_superblock.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q4_k;

struct Q4_K : AffineSuperblock<layout::kFactors, layout::kCodes, layout::kBlockVectors> {
  static constexpr int kUnitBytes = layout::kUnitBytes;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_nibbles<Q4_K, T>(unit, i, x, out);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return unsigned_byte(nibble_quad(unit.codes(i), k / 4), k % 4);
  }
};

}  // namespace

namespace q4_k {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q4_k", matmul_quantized<Q4_K>};
  return k;
}
}  // namespace q4_k
}  // namespace kelda::kernels::avx2
