// Q8_0 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q8_0.h"

namespace kelda::kernels::vector::q8_0 {
namespace {

namespace layout = quant::q8_0;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kNone;
  static constexpr int kBias = layout::kSignFlip, kHighestCode = 255;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return I::load(codes + kN * 64);
  }
  static F scale(const Unit& unit, int i) { return load_halves<F>(unit.p + layout::kScales + i * 32); }
};

}  // namespace
}  // namespace kelda::kernels::vector::q8_0
