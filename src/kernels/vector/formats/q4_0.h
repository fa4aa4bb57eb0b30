// Q4_0 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q4_0.h"

namespace kelda::kernels::vector::q4_0 {
namespace {

namespace layout = quant::q4_0;

template <typename L>
struct Matmul : TwoBlocks<L, layout::kScales, layout::kBlockVectors> {
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kMins = 0;
  static constexpr int kBias = layout::kBias, kHighestCode = 15;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q4_0
