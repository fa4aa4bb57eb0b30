// Packed form of the formats with blocks: a unit is two 32-column blocks, or one 256-column block, of 16
// rows, made of 64-byte vectors in which a row's dword (or its half of a vector of f16) stands in the row's
// lane. docs/formats/packed.md draws it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/half.h"
#include "quant/format.h"

namespace kelda::quant {

inline constexpr int kVectorBytes = 64;
inline constexpr int kUnitBlocks = 2;

inline void put_f16(std::byte* vector, int block_in_unit, int lane, kelda::f16 value) {
  std::memcpy(vector + (block_in_unit * kLanes + lane) * 2, &value, 2);
}
inline kelda::f16 get_f16(const std::byte* vector, int block_in_unit, int lane) {
  kelda::f16 value;
  std::memcpy(&value, vector + (block_in_unit * kLanes + lane) * 2, 2);
  return value;
}

// Deals `bytes` bytes of one row's block out as dwords, one to each vector, into lane `lane`.
inline void put_dwords(std::byte* vectors, int lane, const uint8_t* from, int bytes) {
  for (int i = 0; i < bytes; i += 4) std::memcpy(vectors + i / 4 * kVectorBytes + lane * 4, from + i, 4);
}
inline void get_dwords(const std::byte* vectors, int lane, uint8_t* to, int bytes) {
  for (int i = 0; i < bytes; i += 4) std::memcpy(to + i, vectors + i / 4 * kVectorBytes + lane * 4, 4);
}

// Walks the blocks of 16 rows: put(block, unit, block_in_unit, lane) stores one block in its unit. Units
// start as zeros.
template <typename Block, int kUnitBytes, int kBlocks = kUnitBlocks, int kBlockSize = kActBlock, typename Put>
void pack_units(const std::byte* const rows[kLanes], int64_t n, std::byte* out, Put put) noexcept {
  const int64_t n_blocks = n / kBlockSize;
  for (int64_t first = 0; first < n_blocks; first += kBlocks, out += kUnitBytes) {
    std::memset(out, 0, kUnitBytes);
    for (int i = 0; i < kBlocks && first + i < n_blocks; ++i) {
      for (int lane = 0; lane < kLanes; ++lane) {
        if (rows[lane] == nullptr) continue;
        Block block;
        std::memcpy(&block, rows[lane] + (first + i) * static_cast<int64_t>(sizeof block), sizeof block);
        put(block, out, i, lane);
      }
    }
  }
}

// The 32 codes of a block of nibbles: byte i holds column i (low) and column 16 + i (high).
inline void unpack_nibbles(const uint8_t bytes[16], int offset, int16_t code[kActBlock]) {
  for (int i = 0; i < 16; ++i) {
    code[i] = static_cast<int16_t>((bytes[i] & 0xF) + offset);
    code[i + 16] = static_cast<int16_t>((bytes[i] >> 4) + offset);
  }
}

}  // namespace kelda::quant
