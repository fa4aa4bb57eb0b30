// Q8_0: 32 weights share one f16 scale; weight = scale * q. 34 bytes per 32 weights. GGUF type 8.
#pragma once

#include <cmath>

#include "quant/packed_unit.h"
#include "quant/row_form.h"

namespace kelda::quant::q8_0 {

struct Block {
  kelda::f16 scale;
  uint8_t q[32];  // two's complement
};
static_assert(sizeof(Block) == 34);

// Unit: codes of block 0 (8 vectors), of block 1 (8), scales (1). Codes are stored with the sign bit flipped,
// as unsigned numbers with a bias of 128, which is what the unsigned-by-signed dot product instructions take.
inline constexpr int kBlockVectors = 8 * kVectorBytes;
inline constexpr int kScales = kUnitBlocks * kBlockVectors;
inline constexpr int kUnitBytes = kScales + kVectorBytes;
inline constexpr uint8_t kSignFlip = 0x80;

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale);
  for (int i = 0; i < kActBlock; ++i) out[i] = scale * static_cast<float>(static_cast<int8_t>(block.q[i]));
}

inline void quantize(const float* x, Block& block) noexcept {
  float largest = 0;
  for (int i = 0; i < kActBlock; ++i) {
    if (std::fabs(x[i]) > largest) largest = std::fabs(x[i]);
  }
  const float scale = largest / 127;
  const float inverse = scale != 0 ? 1 / scale : 0;
  block.scale = to_f16(scale);
  for (int i = 0; i < kActBlock; ++i) {  // to nearest, halves away from zero
    const float v = x[i] * inverse;
    const float a = std::fabs(v), whole = std::floor(a);
    const int magnitude = truncate_code(whole + (a - whole >= 0.5f ? 1.0f : 0.0f), 127);
    block.q[i] = static_cast<uint8_t>(v < 0 ? -magnitude : magnitude);
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  pack_units<Block, kUnitBytes>(rows, n, out, [](const Block& block, std::byte* unit, int i, int lane) {
    uint8_t flipped[kActBlock];
    for (int k = 0; k < kActBlock; ++k) flipped[k] = block.q[k] ^ kSignFlip;
    put_dwords(unit + i * kBlockVectors, lane, flipped, kActBlock);
    put_f16(unit + kScales, i, lane, block.scale);
  });
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kUnitBlocks * kUnitBytes;
  const int i = static_cast<int>(kb % kUnitBlocks);
  uint8_t flipped[kActBlock];
  get_dwords(unit + i * kBlockVectors, lane, flipped, kActBlock);
  for (int k = 0; k < kActBlock; ++k) out.code[k] = static_cast<int16_t>(flipped[k] - kSignFlip);
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit + kScales, i, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q8_0",
                                  .gguf_type = 8,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.006,
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

}  // namespace kelda::quant::q8_0
