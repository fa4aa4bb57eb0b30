// Q3_K matmul with AVX2.
#include "quant/formats/q3_k.h"

#include "kernels/avx2/matmul_halves.h"
#include "kernels/avx2/matmul_superblock.h"

namespace kelda::kernels::avx2 {
namespace {

namespace layout = quant::q3_k;

struct Q3_K {
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr bool kFactors = true;
  static constexpr int kBias = layout::kBias;
  struct Unit {
    explicit Unit(const std::byte* unit) : p(unit), factors(unit + layout::kFactors) {}
    const std::byte* codes(int i) const { return p + layout::kCodes + i * layout::kBlockVectors; }
    const std::byte* p;
    SixBits factors;
  };

  template <int T>
  static inline void dot(const Unit& unit, int i, const BlockInput& x, Ints* out) {
    dot_halves<Q3_K, T>(unit, i, x, out);
  }
  static inline Ints quad(const std::byte* codes, int n) {
    return bits_or(bit_pair_quad(codes, n, 0), bit_quad(codes + quant::kBitPairBytes, n, 2));
  }
  static inline Floats scale(const Unit& unit, int) { return load_halves(unit.p); }
  static inline Ints factor_pairs(const Unit& unit, int i, int half) {
    const Ints stored = unit.factors.spread(2 * i + half);
    const __m256i bias = _mm256_set1_epi16(layout::kFactorBias);
    return {_mm256_sub_epi16(stored.low, bias), _mm256_sub_epi16(stored.high, bias)};
  }
  static inline Ints factor(const Unit& unit, int i, int half) {
    return minus(unit.factors.number(2 * i + half), all_ints(layout::kFactorBias));
  }
  static inline Ints column(const Unit& unit, int i, int k) {
    const Ints code = unsigned_byte(quad(unit.codes(i), k / 4), k % 4);
    return minus(code, all_ints(kBias));
  }
};

}  // namespace

namespace q3_k {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"q3_k", matmul_quantized<Q3_K>};
  return k;
}
}  // namespace q3_k
}  // namespace kelda::kernels::avx2
