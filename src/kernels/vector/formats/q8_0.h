// Q8_0 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q8_0.h"

namespace kelda::kernels::vector::q8_0 {
namespace {

namespace layout = quant::q8_0;

template <typename L>
struct Matmul : TwoBlocks<L, layout::kScales, layout::kBlockVectors> {
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kMins = 0;
  static constexpr int kBias = layout::kSignFlip, kHighestCode = 255;

  template <int kN>
  static I quad(const std::byte* codes) {
    return I::load(codes + kN * 64);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q8_0
