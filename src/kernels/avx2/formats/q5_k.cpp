// Q5_K matmul with AVX2.
#include "quant/formats/q5_k.h"

#include "kernels/avx2/matmul_halves.h"
#include "kernels/avx2/matmul_superblock.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q5_k;

struct Q5_K : AffineSuperblock<layout::kFactors, layout::kCodes, layout::kBlockVectors> {
  static constexpr int kUnitBytes = layout::kUnitBytes;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<Q5_K, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return bits_or(nibble_quad(codes, n), bit_quad(codes + quant::kNibbleBytes, n, 4));
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
  }
};

}  // namespace

namespace q5_k {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q5_k", matmul_quantized<Q5_K>};
  return k;
}
}  // namespace q5_k
}  // namespace kelda::kernels::avx2
