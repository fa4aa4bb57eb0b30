// IQ4_XS matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/iq4_xs.h"

namespace kelda::kernels::vector::iq4_xs {
namespace {

namespace layout = quant::iq4_xs;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kOfBlock;
  static constexpr int kBias = kNonLinearBias, kHighestCode = 255;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes).looked_up(kNonLinear.of);
  }
  static F scale(const Unit& unit, int) { return load_halves<F>(unit.p + 32); }
  static I factor(const Unit& unit, int i, int) {
    const I high = I::load_u16(unit.p).right(2 * i) & I::broadcast(3);
    const I low = I::load(unit.p + layout::kFactorsLow).right(4 * i) & I::broadcast(0xF);
    return (low | high.left(4)) - I::broadcast(layout::kFactorBias);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::iq4_xs
