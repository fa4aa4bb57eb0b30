// Q2_K matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"
#include "quant/formats/q2_k.h"

namespace kelda::kernels::vector::q2_k {
namespace {

namespace layout = quant::q2_k;

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr int kUnitBytes = layout::kUnitBytes;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 2;
  static constexpr Factors kFactors = Factors::kOfHalves;
  static constexpr int kBias = 0, kHighestCode = layout::kHighest;
  using Unit = PlainUnit<layout::kCodes, layout::kBlockVectors>;

  template <int kN>
  static I quad(const std::byte* codes) {
    return bit_pair_quad<I, kN, 0>(codes);
  }
  static F scale(const Unit& unit, int) { return load_halves<F>(unit.p); }
  static F min(const Unit& unit, int i, int half) {
    const I multiple = factors(unit, i).right(byte_of(i, half) * 8 + 4) & I::broadcast(0xF);
    return -load_halves<F>(unit.p + 32) * multiple.to_floats();
  }
  static I factor(const Unit& unit, int i, int half) {
    return factors(unit, i).right(byte_of(i, half) * 8) & I::broadcast(0xF);
  }
  static I factor_words(const Unit& unit, int i, int half) {
    return factors(unit, i).byte_in_words(byte_of(i, half)) & I::bytes(0xF);
  }

 private:
  static I factors(const Unit& unit, int i) { return I::load(unit.p + layout::kFactors + i / 2 * 64); }
  static constexpr int byte_of(int i, int half) { return i % 2 * 2 + half; }
};

}  // namespace
}  // namespace kelda::kernels::vector::q2_k
