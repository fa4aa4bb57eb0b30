// Q5_K matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q5_k.h"

namespace kelda::kernels::vector::q5_k {
namespace {

namespace layout = quant::q5_k;

template <typename L>
struct Matmul
    : AffineSuperblock<L, layout::kFactors, layout::kCodes, layout::kBlockVectors, layout::kHighest> {
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;

  template <int kN>
  static I quad(const std::byte* codes) {
    return nibble_quad<I, kN>(codes) | bit_quad<I, kN, 4>(codes + quant::kNibbleBytes);
  }
};

}  // namespace
}  // namespace kelda::kernels::vector::q5_k
