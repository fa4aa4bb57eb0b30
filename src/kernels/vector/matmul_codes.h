// How a quantised format tells its codes to vector/matmul_quantized.h: the pieces of packed form
// (quant/packed_codes.h, quant/superblock.h) as vectors of 16 rows. I: sixteen integers, F: sixteen floats,
// L: both (kernels/ISA/lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/half.h"
#include "kernels/kernel_table.h"
#include "quant/codebook.h"
#include "quant/superblock.h"

namespace kelda::kernels::vector {
namespace {

// Whether the sums of codes × activations are multiplied by integers, and by how many in a block.
enum class Factors { kNone, kOfBlock, kOfHalves };

// Calls body(Index<0>), … body(Index<kEnd − 1>), for what must be known when it is compiled.
template <int kValue>
struct Index {
  static constexpr int value = kValue;
  constexpr operator int() const { return kValue; }
};
template <int kEnd, int kFirst = 0, typename Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  if constexpr (kFirst < kEnd) {
    body(Index<kFirst>{});
    unrolled<kEnd, kFirst + 1>(body);
  }
}

// kFactor · v, by a shift where that is enough.
template <int kFactor, typename I>
inline I times(I v) {
  if constexpr ((kFactor & (kFactor - 1)) == 0) return v.template up<__builtin_ctz(kFactor)>();
  return v * I::broadcast(kFactor);
}

template <typename F>
inline F load_halves(const std::byte* p) {  // 16 f16
  return F::load(reinterpret_cast<const f16*>(p));
}

// Activations of one 32-column block of a tile's first token, and the steps to the next token's.
struct BlockInput {
  const int8_t* q;
  int64_t stride;
  const float* scale;
  const int32_t* sum;
  int64_t step;  // of scale and sum
};

// A quad: columns 4n … 4n + 3 of a block, n = 0 … 7, the four bytes of a row in its lane.
template <typename I, int kN>
inline I nibble_quad(const std::byte* nibbles) {
  constexpr int kMove = kN < 4 ? 0 : -4;
  return I::load(nibbles + kN % 4 * 64).template words_left<kMove>() & I::bytes(0xF);
}
// The same, put to bits kAt and kAt + 1 of each byte.
template <typename I, int kN, int kAt>
inline I bit_pair_quad(const std::byte* bit_pairs) {
  constexpr int kMove = kAt - kN % 4 * 2;
  return I::load(bit_pairs + kN / 4 * 64).template words_left<kMove>() & I::bytes(3 << kAt);
}
template <typename I, int kN, int kAt>
inline I bit_quad(const std::byte* bits) {
  return I::load(bits).template words_left<kAt - kN>() & I::bytes(1 << kAt);
}

// Byte k (0 … 3) of each dword.
template <typename I>
inline I unsigned_byte(I v, int k) {
  return v.right(8 * k) & I::broadcast(0xFF);
}
template <typename I>
inline I signed_byte(I v, int k) {
  return v.left(24 - 8 * k).right_signed(24);
}

// A table of 16 signed numbers, with a bias that makes them unsigned.
struct BiasedTable {
  alignas(16) uint8_t of[16];
  constexpr BiasedTable(const int8_t (&table)[16], int bias) : of() {
    for (int i = 0; i < 16; ++i) of[i] = static_cast<uint8_t>(table[i] + bias);
  }
};

inline constexpr int kNonLinearBias = 128;
inline constexpr BiasedTable kNonLinear(quant::kNonLinear, kNonLinearBias);

// The unit of a format that has nothing to expand: kBlockVectors bytes of codes for each block, from kCodes
// on.
template <int kCodes, int kBlockVectors>
struct PlainUnit {
  void open(const std::byte* unit) { p = unit; }
  const std::byte* codes(int i) const { return p + kCodes + i * kBlockVectors; }
  const std::byte* p;
};

// What the formats whose unit is two 32-column blocks, codes first and then scales, have in common.
template <typename L, int kScalesAt, int kBlockVectors>
struct TwoBlocks {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kUnitBlocks;
  static constexpr Factors kFactors = Factors::kNone;
  using Unit = PlainUnit<0, kBlockVectors>;

  static F scale(const Unit& unit, int i) { return load_halves<F>(unit.p + kScalesAt + i * 32); }
};

// Sixteen 6-bit numbers of 16 rows, expanded to bytes: four groups of four. Number n: byte n % 4 of a row's
// dword in group n / 4.
template <typename I>
class SixBits {
 public:
  void open(const std::byte* vectors) {
    const I a = I::load(vectors), b = I::load(vectors + 64), high = I::load(vectors + 128);
    store<0, 4>(0, a, high);
    store<-4, 2>(1, a, high);
    store<0, 0>(2, b, high);
    store<-4, -2>(3, b, high);
  }
  I number(int n) const { return unsigned_byte(I::load(groups_ + n / 4 * 64), n % 4); }
  // In both 16-bit words of the lane.
  I words(int n) const { return I::load(groups_ + n / 4 * 64).byte_in_words(n % 4); }

 private:
  template <int kLowLeft, int kHighLeft>
  void store(int g, I low, I high) {
    const I bytes = (low.template words_left<kLowLeft>() & I::bytes(0x0F)) |
                    (high.template words_left<kHighLeft>() & I::bytes(0x30));
    bytes.store(groups_ + g * 64);
  }
  alignas(64) std::byte groups_[4 * 64];
};

// q4_K and q5_K: a factor and a minimum for each block. Layout: the format's header.
template <typename L, int kFactorsAt, int kCodesAt, int kBlockVectors, int kHighest>
struct AffineSuperblock {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr bool kIsFloat = false;
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 1;
  static constexpr Factors kFactors = Factors::kOfBlock;
  static constexpr int kBias = 0, kHighestCode = kHighest;

  struct Unit {
    void open(const std::byte* unit) {
      p = unit;
      numbers.open(unit + kFactorsAt);
    }
    const std::byte* codes(int i) const { return p + kCodesAt + i * kBlockVectors; }
    const std::byte* p;
    SixBits<I> numbers;
  };

  static F scale(const Unit& unit, int) { return load_halves<F>(unit.p); }
  static F min(const Unit& unit, int i, int) {
    return -load_halves<F>(unit.p + 32) * unit.numbers.number(8 + i).to_floats();
  }
  static I factor(const Unit& unit, int i, int) { return unit.numbers.number(i); }
  static I factor_words(const Unit& unit, int i, int) { return unit.numbers.words(i); }
};

}  // namespace
}  // namespace kelda::kernels::vector
