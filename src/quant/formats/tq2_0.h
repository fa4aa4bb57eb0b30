// TQ2_0: 256 ternary weights share one f16 scale; weight = scale * (code - 1), 2-bit codes of 0 to 2. 66
// bytes per 256 weights, for networks that were trained to be ternary (Ma et al. 2024, arXiv 2402.17764).
// GGUF type 35.
#pragma once

#include <algorithm>
#include <cmath>

#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/superblock.h"

namespace kelda::quant::tq2_0 {

struct Block {
  uint8_t bit_pairs[64];  // byte 32 j + i, bits 2s, 2s + 1: column 128 j + 32 s + i
  kelda::f16 scale;
};
static_assert(sizeof(Block) == 66);

// Unit: two superblocks. Their scales (1 vector), then the codes of each 32-column block (2).
inline constexpr int kSupers = 2;
inline constexpr int kCodes = kVectorBytes;
inline constexpr int kBlockVectors = kBitPairBytes;
inline constexpr int kUnitBytes = kCodes + kSupers * kBlocksPerSuper * kBlockVectors;
inline constexpr int kBias = 1;

// The 32 codes of columns 32 b ….
inline void read_codes(const Block& block, int b, uint8_t code[kActBlock]) {
  for (int i = 0; i < kActBlock; ++i) code[i] = block.bit_pairs[b / 4 * 32 + i] >> (b % 4 * 2) & 3;
}

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale);
  uint8_t code[kActBlock];
  for (int b = 0; b < kBlocksPerSuper; ++b) {
    read_codes(block, b, code);
    for (int i = 0; i < kActBlock; ++i) *out++ = scale * static_cast<float>(code[i] - kBias);
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float largest = 0;
  for (int k = 0; k < kSuperBlock; ++k) largest = std::max(largest, std::fabs(x[k]));
  const float inverse = largest == 0 ? 0.0f : 1.0f / largest;
  block = {};
  block.scale = to_f16(largest);
  for (int k = 0; k < kSuperBlock; ++k) {
    const float v = x[k] * inverse;  // rounded half away from zero
    const int code = kBias + (v >= 0.5f ? 1 : v <= -0.5f ? -1 : 0);
    block.bit_pairs[k / 128 * 32 + k % 32] |= static_cast<uint8_t>(code << (k % 128 / 32 * 2));
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int i, int lane) {
    put_f16(unit, i, lane, block.scale);
    uint8_t code[kActBlock];
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      read_codes(block, b, code);
      put_bit_pairs(unit + kCodes + (i * kBlocksPerSuper + b) * kBlockVectors, lane, code, 0);
    }
  };
  pack_units<Block, kUnitBytes, kSupers, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  constexpr int kBlocks = kSupers * kBlocksPerSuper;
  const std::byte* unit = group + kb / kBlocks * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocks);
  uint8_t code[kActBlock] = {};
  get_bit_pairs(unit + kCodes + b * kBlockVectors, lane, code, 0);
  to_signed(code, kBias, out.code);
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit, b / kBlocksPerSuper, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "tq2_0",
                                  .gguf_type = 35,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.85,
                                  .dequantize = dequantize_blocks<Block, kSuperBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kSuperBlock, quantize>,
                                  .unit_k = kSupers * kSuperBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 0,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::tq2_0
