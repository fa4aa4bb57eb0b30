// Q5_1: 32 weights share an f16 scale and an f16 minimum; weight = scale * code + min, 5-bit codes. 24 bytes
// per 32 weights. GGUF type 7. quantize gives what the gguf package gives.
#pragma once

#include "quant/packed_codes.h"
#include "quant/row_form.h"

namespace kelda::quant::q5_1 {

struct Block {
  kelda::f16 scale;
  kelda::f16 min;
  uint8_t high[4];      // bit 4 of column i: bit i % 8 of byte i / 8
  uint8_t nibbles[16];  // byte i: column i low, column 16 + i high
};
static_assert(sizeof(Block) == 24);

// Unit: nibbles and high bits of block 0 (5 vectors), of block 1 (5), scales (1), mins (1).
inline constexpr int kBlockVectors = kNibbleBytes + kBitBytes;
inline constexpr int kScales = kUnitBlocks * kBlockVectors;
inline constexpr int kMins = kScales + kVectorBytes;
inline constexpr int kUnitBytes = kMins + kVectorBytes;

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale), min = to_float(block.min);
  uint8_t code[kActBlock];
  unpack_five_bits(block.high, block.nibbles, code);
  for (int i = 0; i < kActBlock; ++i) out[i] = scale * static_cast<float>(code[i]) + min;
}

inline void quantize(const float* x, Block& block) noexcept {
  float min = x[0], max = x[0];
  for (int i = 1; i < kActBlock; ++i) {
    if (x[i] < min) min = x[i];
    if (x[i] > max) max = x[i];
  }
  const float scale = (max - min) / 31;
  const float inverse = scale != 0 ? 1 / scale : 0;
  block.scale = to_f16(scale);
  block.min = to_f16(min);
  uint8_t code[kActBlock];
  for (int i = 0; i < kActBlock; ++i) code[i] = truncate_code((x[i] - min) * inverse + 0.5f, 31);
  pack_five_bits(code, block.high, block.nibbles);
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  pack_units<Block, kUnitBytes>(rows, n, out, [](const Block& block, std::byte* unit, int i, int lane) {
    uint8_t code[kActBlock];
    unpack_five_bits(block.high, block.nibbles, code);
    put_nibbles(unit + i * kBlockVectors, lane, code);
    put_bits(unit + i * kBlockVectors + kNibbleBytes, lane, code, 4);
    put_f16(unit + kScales, i, lane, block.scale);
    put_f16(unit + kMins, i, lane, block.min);
  });
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kUnitBlocks * kUnitBytes;
  const int i = static_cast<int>(kb % kUnitBlocks);
  uint8_t code[kActBlock];
  get_nibbles(unit + i * kBlockVectors, lane, code);
  get_bits(unit + i * kBlockVectors + kNibbleBytes, lane, code, 4);
  to_signed(code, 0, out.code);
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit + kScales, i, lane));
  out.min[0] = out.min[1] = to_float(get_f16(unit + kMins, i, lane));
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q5_1",
                                  .gguf_type = 7,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.042,
                                  .dequantize = dequantize_blocks<Block, kActBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kActBlock, quantize>,
                                  .unit_k = kUnitBlocks * kActBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 1,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::q5_1
