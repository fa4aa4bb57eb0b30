// Q5_0: 32 weights share one f16 scale; weight = scale * (code - 16), 5-bit codes. 22 bytes per 32 weights.
// GGUF type 6. quantize gives what the gguf package gives.
#pragma once

#include <cmath>

#include "quant/packed_codes.h"
#include "quant/row_form.h"

namespace kelda::quant::q5_0 {

struct Block {
  kelda::f16 scale;
  uint8_t high[4];      // bit 4 of column i: bit i % 8 of byte i / 8
  uint8_t nibbles[16];  // byte i: column i low, column 16 + i high
};
static_assert(sizeof(Block) == 22);

// Unit: nibbles and high bits of block 0 (5 vectors), of block 1 (5), scales (1).
inline constexpr int kBlockVectors = kNibbleBytes + kBitBytes;
inline constexpr int kScales = kUnitBlocks * kBlockVectors;
inline constexpr int kUnitBytes = kScales + kVectorBytes;
inline constexpr int kBias = 16;

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale);
  uint8_t code[kActBlock];
  unpack_five_bits(block.high, block.nibbles, code);
  for (int i = 0; i < kActBlock; ++i) out[i] = scale * static_cast<float>(code[i] - kBias);
}

// The weight of largest magnitude (the first of equals) becomes exactly -16 * scale.
inline void quantize(const float* x, Block& block) noexcept {
  float largest = 0;
  for (int i = 0; i < kActBlock; ++i) {
    if (std::fabs(x[i]) > std::fabs(largest)) largest = x[i];
  }
  const float scale = largest / -16;
  const float inverse = scale != 0 ? 1 / scale : 0;
  block.scale = to_f16(scale);
  uint8_t code[kActBlock];
  for (int i = 0; i < kActBlock; ++i) code[i] = truncate_code(x[i] * inverse + 16.5f, 31);
  pack_five_bits(code, block.high, block.nibbles);
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  pack_units<Block, kUnitBytes>(rows, n, out, [](const Block& block, std::byte* unit, int i, int lane) {
    uint8_t code[kActBlock];
    unpack_five_bits(block.high, block.nibbles, code);
    put_nibbles(unit + i * kBlockVectors, lane, code);
    put_bits(unit + i * kBlockVectors + kNibbleBytes, lane, code, 4);
    put_f16(unit + kScales, i, lane, block.scale);
  });
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kUnitBlocks * kUnitBytes;
  const int i = static_cast<int>(kb % kUnitBlocks);
  uint8_t code[kActBlock];
  get_nibbles(unit + i * kBlockVectors, lane, code);
  get_bits(unit + i * kBlockVectors + kNibbleBytes, lane, code, 4);
  to_signed(code, kBias, out.code);
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit + kScales, i, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q5_0",
                                  .gguf_type = 6,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.047,
                                  .dequantize = dequantize_blocks<Block, kActBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kActBlock, quantize>,
                                  .unit_k = kUnitBlocks * kActBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 0,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::q5_0
