// What the formats with 256-column blocks share: the sub-blocks' integer scales, in row form and packed.
//
// Packed, sixteen integers of a row stand in four groups of four: group g holds numbers 4g … 4g + 3.
//   bytes   4 vectors; byte k of a lane's dword in vector g: number 4g + k
//   6 bits  3 vectors; byte k of vector 0: the low 4 bits of groups 0 (low nibble) and 1, of vector 1: of
//   groups
//           2 and 3; byte k of vector 2: in bits 2g, 2g + 1 the upper 2 bits of group g
#pragma once

#include <cstdint>

#include "quant/packed_unit.h"

namespace kelda::quant {

inline constexpr int kSuperBlock = 256;
inline constexpr int kBlocksPerSuper = kSuperBlock / kActBlock;
inline constexpr int kSixBitBytes = 3 * kVectorBytes;
inline constexpr int kSubScaleBytes = 4 * kVectorBytes;

inline void put_six_bits(std::byte* vectors, int lane, const uint8_t number[16]) {
  uint8_t bytes[12] = {};
  for (int i = 0; i < 16; ++i) {
    const int g = i / 4, k = i % 4;
    bytes[g / 2 * 4 + k] |= static_cast<uint8_t>((number[i] & 0xF) << (g % 2 * 4));
    bytes[8 + k] |= static_cast<uint8_t>((number[i] >> 4 & 3) << (2 * g));
  }
  put_dwords(vectors, lane, bytes, 12);
}
// Number i (0 … 15) of the lane.
inline uint8_t get_six_bits(const std::byte* vectors, int lane, int i) {
  uint8_t bytes[12];
  get_dwords(vectors, lane, bytes, 12);
  const int g = i / 4, k = i % 4;
  return static_cast<uint8_t>((bytes[g / 2 * 4 + k] >> (g % 2 * 4) & 0xF) | (bytes[8 + k] >> (2 * g) & 3)
                                                                                << 4);
}

inline uint8_t get_byte(const std::byte* vectors, int lane, int i) {
  return std::to_integer<uint8_t>(vectors[i / 4 * kVectorBytes + lane * 4 + i % 4]);
}

// Row form of q4_K and q5_K: scales and mins of eight sub-blocks, 6 bits each, in 12 bytes. Bytes 0 … 3:
// scale i in bits 0 … 5, upper bits of scale 4 + i in bits 6 and 7; bytes 4 … 7: the same for the mins; bytes
// 8 … 11: the low 4 bits of scale 4 + i and of min 4 + i.
inline void read_scales_and_mins(const uint8_t bytes[12], uint8_t scale[8], uint8_t min[8]) {
  for (int i = 0; i < 4; ++i) {
    scale[i] = bytes[i] & 0x3F;
    min[i] = bytes[4 + i] & 0x3F;
    scale[4 + i] = static_cast<uint8_t>((bytes[8 + i] & 0xF) | bytes[i] >> 6 << 4);
    min[4 + i] = static_cast<uint8_t>(bytes[8 + i] >> 4 | bytes[4 + i] >> 6 << 4);
  }
}
inline void write_scales_and_mins(const uint8_t scale[8], const uint8_t min[8], uint8_t bytes[12]) {
  for (int i = 0; i < 4; ++i) {
    bytes[i] = static_cast<uint8_t>(scale[i] | scale[4 + i] >> 4 << 6);
    bytes[4 + i] = static_cast<uint8_t>(min[i] | min[4 + i] >> 4 << 6);
    bytes[8 + i] = static_cast<uint8_t>((scale[4 + i] & 0xF) | (min[4 + i] & 0xF) << 4);
  }
}

}  // namespace kelda::quant
