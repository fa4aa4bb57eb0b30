// TQ2_0 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/tq2_0.h"

namespace kelda::kernels::vector::tq2_0 {
namespace {

namespace layout = quant::tq2_0;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = layout::kSupers * quant::kBlocksPerSuper;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kNone;
  static constexpr int kBias = layout::kBias, kHighestCode = 3;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return bit_pair_quad<I, kN, 0>(codes);
  }
  static F scale(const Unit& unit, int i) { return load_halves<F>(unit.p + i / quant::kBlocksPerSuper * 32); }
};

}  // namespace
}  // namespace kelda::kernels::vector::tq2_0
