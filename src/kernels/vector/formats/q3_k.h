// Q3_K matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q3_k.h"

namespace kelda::kernels::vector::q3_k {
namespace {

namespace layout = quant::q3_k;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kOfHalves;
  static constexpr int kBias = layout::kBias, kHighestCode = 7;

  struct Unit {
    void open(const std::byte* unit) {
      p = unit;
      factors.open(unit + layout::kFactors);
    }
    const std::byte* codes(int i) const { return p + layout::kCodes + i * layout::kBlockVectors; }
    const std::byte* p;
    SixBits<I> factors;
  };

  template <int kN>
  static I quad(const std::byte* codes) {
    return bit_pair_quad<I, kN, 0>(codes) | bit_quad<I, kN, 2>(codes + quant::kBitPairBytes);
  }
  static F scale(const Unit& unit, int) { return load_halves<F>(unit.p); }
  static I factor(const Unit& unit, int i, int half) {
    return unit.factors.number(2 * i + half) - I::broadcast(layout::kFactorBias);
  }
  static I factor_words(const Unit& unit, int i, int half) {
    return unit.factors.words(2 * i + half).words_minus(layout::kFactorBias);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q3_k
