// Q6_K matmul with AVX2.
#include "quant/formats/q6_k.h"

#include "kernels/avx2/matmul_halves.h"
#include "kernels/avx2/matmul_superblock.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q6_k;

struct Q6_K {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = true;
  static constexpr int kBias = layout::kBias;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<Q6_K, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return bits_or(nibble_quad(codes, n), bit_pair_quad(codes + quant::kNibbleBytes, n, 4));
  }
  static inline Floats scale(const Unit& unit, int) { return load_halves(unit.p); }
  static inline Ints factor_pairs(const Unit& unit, int i, int half) {
    return spread_signed_byte(unit.p + layout::kFactors + i / 2 * 64, i % 2 * 2 + half);
  }
  static inline Ints factor(const Unit& unit, int i, int half) {
    return signed_byte(load_ints(unit.p + layout::kFactors + i / 2 * 64), i % 2 * 2 + half);
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    const Ints code = unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
    return minus(code, all_ints(kBias));
  }
};

}  // namespace

namespace q6_k {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q6_k", matmul_quantized<Q6_K>};
  return k;
}
}  // namespace q6_k
}  // namespace kelda::kernels::avx2
