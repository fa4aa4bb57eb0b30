// Q5_1 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q5_1.h"

namespace kelda::kernels::vector::q5_1 {
namespace {

namespace layout = quant::q5_1;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 1;
  static constexpr Factors kFactors = Factors::kNone;
  static constexpr int kBias = 0, kHighestCode = 31;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes) | bit_quad<I, kN, 4>(codes + quant::kNibbleBytes);
  }
  static F scale(const Unit& unit, int i) { return load_halves<F>(unit.p + layout::kScales + i * 32); }
  static F min(const Unit& unit, int i, int) { return load_halves<F>(unit.p + layout::kMins + i * 32); }
};

}  // namespace
}  // namespace kelda::kernels::vector::q5_1
