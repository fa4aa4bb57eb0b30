// How the codes of a 32-column block lie in packed form, by bits: a low part and the planes above it. Codes
// are unsigned here. A "quad" is four neighbouring columns; quads 0 to 3 are the block's first half.
//   nibbles    4 vectors; byte b of a lane's dword in vector v: column 4v + b low, column 16 + 4v + b high
//   bit pairs  2 vectors, one for each half; byte b: bits 2j, 2j + 1 belong to column 4j + b of the half
//   bits       1 vector; byte b: bit j belongs to column 4j + b
#pragma once

#include <cstdint>

#include "quant/packed_unit.h"

namespace kelda::quant {

inline constexpr int kNibbleBytes = 4 * kVectorBytes;
inline constexpr int kBitPairBytes = 2 * kVectorBytes;
inline constexpr int kBitBytes = kVectorBytes;

// Bits 0 to 3 of 32 codes.
inline void put_nibbles(std::byte* vectors, int lane, const uint8_t code[kActBlock]) {
  uint8_t bytes[16];
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<uint8_t>((code[i] & 0xF) | (code[16 + i] & 0xF) << 4);
  put_dwords(vectors, lane, bytes, 16);
}
inline void get_nibbles(const std::byte* vectors, int lane, uint8_t code[kActBlock]) {
  uint8_t bytes[16];
  get_dwords(vectors, lane, bytes, 16);
  for (int i = 0; i < 16; ++i) {
    code[i] = bytes[i] & 0xF;
    code[16 + i] = static_cast<uint8_t>(bytes[i] >> 4);
  }
}

// Bits `at` and `at` + 1 of 32 codes. get adds them to what the codes hold already.
inline void put_bit_pairs(std::byte* vectors, int lane, const uint8_t code[kActBlock], int at) {
  uint8_t bytes[8] = {};
  for (int k = 0; k < kActBlock; ++k) {
    const int half = k / 16, quad = k % 16 / 4;
    bytes[half * 4 + k % 4] |= static_cast<uint8_t>((code[k] >> at & 3) << (2 * quad));
  }
  put_dwords(vectors, lane, bytes, 8);
}
inline void get_bit_pairs(const std::byte* vectors, int lane, uint8_t code[kActBlock], int at) {
  uint8_t bytes[8];
  get_dwords(vectors, lane, bytes, 8);
  for (int k = 0; k < kActBlock; ++k) {
    const int half = k / 16, quad = k % 16 / 4;
    code[k] |= static_cast<uint8_t>((bytes[half * 4 + k % 4] >> (2 * quad) & 3) << at);
  }
}

// Bit `at` of 32 codes.
inline void put_bits(std::byte* vector, int lane, const uint8_t code[kActBlock], int at) {
  uint8_t bytes[4] = {};
  for (int k = 0; k < kActBlock; ++k) bytes[k % 4] |= static_cast<uint8_t>((code[k] >> at & 1) << (k / 4));
  put_dwords(vector, lane, bytes, 4);
}
inline void get_bits(const std::byte* vector, int lane, uint8_t code[kActBlock], int at) {
  uint8_t bytes[4];
  get_dwords(vector, lane, bytes, 4);
  for (int k = 0; k < kActBlock; ++k) code[k] |= static_cast<uint8_t>((bytes[k % 4] >> (k / 4) & 1) << at);
}

// The codes as DecodedBlock wants them.
inline void to_signed(const uint8_t stored[kActBlock], int bias, int16_t code[kActBlock]) {
  for (int k = 0; k < kActBlock; ++k) code[k] = static_cast<int16_t>(stored[k] - bias);
}

}  // namespace kelda::quant
