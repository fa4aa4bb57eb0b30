// The integer scales of the sub-blocks of the formats with 256-column blocks (quant/superblock.h).
#pragma once

#include "kernels/avx2/matmul_codes.h"
#include "quant/superblock.h"

namespace kelda::kernels::avx2 {
namespace {

// For _mm256_shuffle_epi8: byte k of each dword to both of its 16-bit halves.
struct SpreadPlaces {
  alignas(32) int8_t of_byte[4][32];
  constexpr SpreadPlaces() : of_byte() {
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 32; ++i) {
        of_byte[k][i] = i % 2 == 0 ? static_cast<int8_t>(i % 16 / 4 * 4 + k) : int8_t{-128};
      }
    }
  }
};
constexpr SpreadPlaces kSpreadPlaces;

// Byte k (0 … 3) of each of 16 dwords twice, as 16-bit numbers: unsigned, and signed.
inline Ints spread_byte(const std::byte* dwords, int k) {
  const __m256i places = _mm256_load_si256(
      reinterpret_cast<const __m256i*>(static_cast<const int8_t*>(kSpreadPlaces.of_byte[k])));
  const Ints v = load_ints(dwords);
  return {_mm256_shuffle_epi8(v.low, places), _mm256_shuffle_epi8(v.high, places)};
}
inline Ints spread_signed_byte(const std::byte* dwords, int k) {
  const Ints v = spread_byte(dwords, k);
  return {_mm256_srai_epi16(_mm256_slli_epi16(v.low, 8), 8),
          _mm256_srai_epi16(_mm256_slli_epi16(v.high, 8), 8)};
}

// Sixteen 6-bit numbers of 16 rows, expanded to bytes: four groups of four. Number n: byte n % 4 of a row's
// dword in group n / 4.
class SixBits {
 public:
  explicit SixBits(const std::byte* vectors) {
    const Ints a = load_ints(vectors), b = load_ints(vectors + 64), high = load_ints(vectors + 128);
    store(0, a, 0, high, 4);
    store(1, a, -4, high, 2);
    store(2, b, 0, high, 0);
    store(3, b, -4, high, -2);
  }
  const std::byte* group(int g) const { return groups_ + g * 64; }
  Ints spread(int n) const { return spread_byte(group(n / 4), n % 4); }
  Ints number(int n) const { return unsigned_byte(load_ints(group(n / 4)), n % 4); }

 private:
  void store(int g, Ints low, int low_left, Ints high, int high_left) {
    const Ints bytes = bits_or(bits_and(moved_left(low, low_left), all_bytes(0x0F)),
                               bits_and(moved_left(high, high_left), all_bytes(0x30)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(groups_ + g * 64), bytes.low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(groups_ + g * 64 + 32), bytes.high);
  }
  alignas(32) std::byte groups_[4 * 64];
};

inline Floats negated(Floats v) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_xor_ps(v.low, sign), _mm256_xor_ps(v.high, sign)};
}

// q4_K and q5_K: a factor and a minimum for each block. Layout: the format's header.
template <int kFactorsAt, int kCodesAt, int kBlockVectors>
struct AffineSuperblock {
  static constexpr int kUnitBlocks = quant::kBlocksPerSuper;
  static constexpr int kMins = 1;
  static constexpr bool kFactors = true;
  static constexpr int kBias = 0;

  struct Unit {
    explicit Unit(const std::byte* unit) : p(unit), numbers(unit + kFactorsAt) {}
    const std::byte* codes(int i) const { return p + kCodesAt + i * kBlockVectors; }
    const std::byte* p;
    SixBits numbers;
  };

  static inline Floats scale(const Unit& unit, int) { return load_halves(unit.p); }
  static inline Floats min(const Unit& unit, int i, int) {
    return times(negated(load_halves(unit.p + 32)), to_floats(unit.numbers.number(8 + i)));
  }
  static inline Ints factor_pairs(const Unit& unit, int i, int) { return unit.numbers.spread(i); }
  static inline Ints factor(const Unit& unit, int i, int) { return unit.numbers.number(i); }
};

}  // namespace
}  // namespace kelda::kernels::avx2
