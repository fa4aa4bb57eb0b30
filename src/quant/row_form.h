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

}  // namespace kelda::quant
