// Row form, block by block: turns a function of one block into the function of a row that FormatSpec asks
// for. Blocks are copied out because bytes from a file need not be aligned for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kelda::quant {

template <typename Block, int kBlockSize, void (*kDequantize)(const Block&, float*) noexcept>
void dequantize_blocks(const std::byte* row, float* out, int64_t n) noexcept {
  for (int64_t k = 0; k < n; k += kBlockSize, row += sizeof(Block)) {
    Block block;
    std::memcpy(&block, row, sizeof block);
    kDequantize(block, out + k);
  }
}

template <typename Block, int kBlockSize, void (*kQuantize)(const float*, Block&) noexcept>
void quantize_blocks(const float* x, std::byte* row, int64_t n) noexcept {
  for (int64_t k = 0; k < n; k += kBlockSize, row += sizeof(Block)) {
    Block block;
    kQuantize(x + k, block);
    std::memcpy(row, &block, sizeof block);
  }
}

// v cut to the integers 0 … limit, fractions dropped; NaN gives 0.
inline uint8_t truncate_code(float v, int limit) {
  if (!(v > 0)) return 0;
  return static_cast<uint8_t>(v >= static_cast<float>(limit) ? limit : static_cast<int>(v));
}

// 32 codes of 5 bits: bit 4 of column i is bit i % 8 of high[i / 8]; nibble byte i holds the rest of column i
// (low) and column 16 + i (high).
inline void unpack_five_bits(const uint8_t high[4], const uint8_t nibbles[16], uint8_t code[32]) {
  for (int i = 0; i < 32; ++i) {
    const int low = nibbles[i % 16] >> (i / 16 * 4) & 0xF;
    code[i] = static_cast<uint8_t>(low | (high[i / 8] >> (i % 8) & 1) << 4);
  }
}
inline void pack_five_bits(const uint8_t code[32], uint8_t high[4], uint8_t nibbles[16]) {
  std::memset(high, 0, 4);
  for (int i = 0; i < 32; ++i) high[i / 8] |= static_cast<uint8_t>((code[i] >> 4) << (i % 8));
  for (int i = 0; i < 16; ++i) nibbles[i] = static_cast<uint8_t>((code[i] & 0xF) | (code[16 + i] & 0xF) << 4);
}

}  // namespace kelda::quant
