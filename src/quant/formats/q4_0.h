// Q4_0: 32 weights share one f16 scale; weight = scale * (nibble - 8). 18 bytes per 32 weights. GGUF type 2.
#pragma once

#include <cmath>

#include "quant/packed_unit.h"
#include "quant/row_form.h"

namespace kelda::quant::q4_0 {

struct Block {
  kelda::f16 scale;
  uint8_t nibbles[16];  // byte i: column i low, column 16 + i high
};
static_assert(sizeof(Block) == 18);

// Unit: nibbles of block 0 (4 vectors), of block 1 (4), scales (1).
inline constexpr int kBlockVectors = 4 * kVectorBytes;
inline constexpr int kScales = kUnitBlocks * kBlockVectors;
inline constexpr int kUnitBytes = kScales + kVectorBytes;
inline constexpr int kBias = 8;

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale);
  int16_t code[kActBlock];
  unpack_nibbles(block.nibbles, -kBias, code);
  for (int i = 0; i < kActBlock; ++i) out[i] = scale * static_cast<float>(code[i]);
}

// The weight of largest magnitude (the first of equals) becomes exactly -8 * scale.
inline void quantize(const float* x, Block& block) noexcept {
  float largest = 0;
  for (int i = 0; i < kActBlock; ++i) {
    if (std::fabs(x[i]) > std::fabs(largest)) largest = x[i];
  }
  const float scale = largest / -8;
  const float inverse = scale != 0 ? 1 / scale : 0;
  block.scale = to_f16(scale);
  for (int i = 0; i < 16; ++i) {
    const int low = truncate_code(x[i] * inverse + 8.5f, 15);
    const int high = truncate_code(x[i + 16] * inverse + 8.5f, 15);
    block.nibbles[i] = static_cast<uint8_t>(low | high << 4);
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  pack_units<Block, kUnitBytes>(rows, n, out, [](const Block& block, std::byte* unit, int i, int lane) {
    put_dwords(unit + i * kBlockVectors, lane, block.nibbles, 16);
    put_f16(unit + kScales, i, lane, block.scale);
  });
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kUnitBlocks * kUnitBytes;
  const int i = static_cast<int>(kb % kUnitBlocks);
  uint8_t nibbles[16];
  get_dwords(unit + i * kBlockVectors, lane, nibbles, 16);
  unpack_nibbles(nibbles, -kBias, out.code);
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit + kScales, i, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q4_0",
                                  .gguf_type = 2,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.095,
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

}  // namespace kelda::quant::q4_0
