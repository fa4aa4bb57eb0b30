// MXFP4 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/mxfp4.h"

namespace kelda::kernels::vector::mxfp4 {
namespace {

namespace layout = quant::mxfp4;

// Places in a table of 16 numbers, which the bias makes unsigned.
constexpr int kTableBias = 12;
constexpr BiasedTable kTable(layout::kDoubled, kTableBias);

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = layout::kBlocks;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kNone;
  static constexpr int kBias = kTableBias, kHighestCode = 24;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes).looked_up(kTable.of);
  }
  // 2^(exponent - 128), denormal below 2.
  static F scale(const Unit& unit, int i) {
    const I exponent = I::load_u8(unit.p + layout::kExponents + i * quant::kLanes);
    const I normal = (exponent - I::broadcast(1)).left(23);
    return exponent.less_than(2, I::shifted(0x00200000, exponent), normal).as_floats();
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::mxfp4
