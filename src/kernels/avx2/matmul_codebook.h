// Codes that are places in a table of 16 numbers.
#pragma once

#include "kernels/avx2/matmul_codes.h"

namespace kelda::kernels::avx2 {
namespace {

// Each byte of `places` (0 … 15) replaced by its number in the table, plus bias.
inline Ints looked_up(const int8_t (&table)[16], int bias, Ints places) {
  const auto n = [&](int i) { return static_cast<char>(table[i] + bias); };
  const __m256i numbers = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11), n(12), n(13), n(14), n(15)));
  return {_mm256_shuffle_epi8(numbers, places.low), _mm256_shuffle_epi8(numbers, places.high)};
}

}  // namespace
}  // namespace kelda::kernels::avx2
