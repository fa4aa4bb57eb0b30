// Q5_1 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q5_1.h"

namespace kelda::kernels::vector::q5_1 {
namespace {

namespace layout = quant::q5_1;

template <typename L>
struct Matmul : TwoBlocks<L, layout::kScales, layout::kBlockVectors> {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kMins = 1;
  static constexpr int kBias = 0, kHighestCode = 31;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes) | bit_quad<I, kN, 4>(codes + quant::kNibbleBytes);
  }
  static F min(const PlainUnit<0, layout::kBlockVectors>& unit, int i, int) {
    return load_halves<F>(unit.p + layout::kMins + i * 32);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q5_1
