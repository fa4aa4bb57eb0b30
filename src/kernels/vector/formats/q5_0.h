// Q5_0 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q5_0.h"

namespace kelda::kernels::vector::q5_0 {
namespace {

namespace layout = quant::q5_0;

template <typename L>
struct Matmul : TwoBlocks<L, layout::kScales, layout::kBlockVectors> {
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kMins = 0;
  static constexpr int kBias = layout::kBias, kHighestCode = 31;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes) | bit_quad<I, kN, 4>(codes + quant::kNibbleBytes);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q5_0
