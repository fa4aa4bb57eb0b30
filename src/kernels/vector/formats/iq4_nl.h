// IQ4_NL matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/iq4_nl.h"

namespace kelda::kernels::vector::iq4_nl {
namespace {

namespace layout = quant::iq4_nl;

template <typename L>
struct Matmul : TwoBlocks<L, layout::kScales, layout::kBlockVectors> {
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr int kMins = 0;
  static constexpr int kBias = kNonLinearBias, kHighestCode = 255;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes).looked_up(kNonLinear.of);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::iq4_nl
