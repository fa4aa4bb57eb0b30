// Q6_K matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q6_k.h"

namespace kelda::kernels::vector::q6_k {
namespace {

namespace layout = quant::q6_k;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kOfHalves;
  static constexpr int kBias = layout::kBias, kHighestCode = 63;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes) | bit_pair_quad<I, kN, 4>(codes + quant::kNibbleBytes);
  }
  static F scale(const Unit& unit, int) { return load_halves<F>(unit.p); }
  static I factor(const Unit& unit, int i, int half) {
    return signed_byte(I::load(unit.p + layout::kFactors + i / 2 * 64), i % 2 * 2 + half);
  }
  static I factor_words(const Unit& unit, int i, int half) {
    return I::load(unit.p + layout::kFactors + i / 2 * 64).signed_byte_in_words(i % 2 * 2 + half);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q6_k
