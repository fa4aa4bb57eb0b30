// Q2_K matmul with AVX2.
#include "quant/formats/q2_k.h"

#include "kernels/avx2/matmul_halves.h"
#include "kernels/avx2/matmul_superblock.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q2_k;

struct Q2_K {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 2;
  static constexpr bool kFactors = true;
  static constexpr int kBias = 0;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<Q2_K, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) { return bit_pair_quad(codes, n, 0); }
  static inline Floats scale(const Unit& unit, int) { return load_halves(unit.p); }
  static inline Floats min(const Unit& unit, int i, int half) {
    const Ints multiple = bits_and(shifted_right(factors(unit, i), byte_of(i, half) * 8 + 4), all_ints(0xF));
    return times(negated(load_halves(unit.p + 32)), to_floats(multiple));
  }
  static inline Ints factor_pairs(const Unit& unit, int i, int half) {
    return bits_and(spread_byte(unit.p + layout::kFactors + i / 2 * 64, byte_of(i, half)), all_bytes(0xF));
  }
  static inline Ints factor(const Unit& unit, int i, int half) {
    return bits_and(shifted_right(factors(unit, i), byte_of(i, half) * 8), all_ints(0xF));
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    return unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
  }

 private:
  static inline Ints factors(const Unit& unit, int i) {
    return load_ints(unit.p + layout::kFactors + i / 2 * 64);
  }
  static constexpr int byte_of(int i, int half) { return i % 2 * 2 + half; }
};

}  // namespace

namespace q2_k {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q2_k", matmul_quantized<Q2_K>};
  return k;
}
}  // namespace q2_k
}  // namespace kelda::kernels::avx2
