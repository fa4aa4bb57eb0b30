// IQ4_NL matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/iq4_nl.h"

namespace kelda::kernels::vector::iq4_nl {
namespace {

namespace layout = quant::iq4_nl;

// Places in a table of 16 numbers, which the bias makes unsigned.
constexpr int kTableBias = 128;
constexpr BiasedTable kTable(quant::kNonLinear, kTableBias);

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr int kMins = 0;
  static constexpr Factors kFactors = Factors::kNone;
  static constexpr int kBias = kTableBias, kHighestCode = 255;
  using Unit = PlainUnit<0, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes).looked_up(kTable.of);
  }
  static F scale(const Unit& unit, int i) { return load_halves<F>(unit.p + layout::kScales + i * 32); }
};

}  // namespace
}  // namespace kelda::kernels::vector::iq4_nl
