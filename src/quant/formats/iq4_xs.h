// IQ4_XS: 256 weights share an f16 scale, of which each 32 take a signed 6-bit multiple:
// weight = scale * (factor - 32) * kNonLinear[nibble]. 136 bytes per 256 weights. GGUF type 23.
// quantize is a search of ours (quant/codebook.h).
#pragma once

#include "quant/codebook.h"
#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/superblock.h"

namespace kelda::quant::iq4_xs {

struct Block {
  kelda::f16 scale;
  uint8_t factors_high[2];  // factor b: upper 2 bits in bits 2b, 2b + 1 of the 16
  uint8_t factors_low[4];   // factor b: low 4 bits in nibble b % 2 of byte b / 2
  uint8_t nibbles[128];     // byte 16 b + i: column 32 b + i low, column 32 b + 16 + i high
};
static_assert(sizeof(Block) == 136);

// Unit: the upper bits of the factors like 16 f16, and the scales (1 vector), the low bits of the factors as
// in row form (1), then the nibbles of each 32-column block (4).
inline constexpr int kFactorsLow = kVectorBytes;
inline constexpr int kCodes = kFactorsLow + kVectorBytes;
inline constexpr int kBlockVectors = kNibbleBytes;
inline constexpr int kUnitBytes = kCodes + kBlocksPerSuper * kBlockVectors;
inline constexpr int kFactorBias = 32;

inline int factor_of(const uint8_t high[2], const uint8_t low[4], int b) {
  return ((low[b / 2] >> (b % 2 * 4) & 0xF) | (high[b / 4] >> (b % 4 * 2) & 3) << 4) - kFactorBias;
}

inline void dequantize(const Block& block, float* out) noexcept {
  for (int b = 0; b < kBlocksPerSuper; ++b, out += kActBlock) {
    const float scale =
        to_float(block.scale) * static_cast<float>(factor_of(block.factors_high, block.factors_low, b));
    for (int i = 0; i < 16; ++i) {
      const uint8_t byte = block.nibbles[b * 16 + i];
      out[i] = scale * static_cast<float>(kNonLinear[byte & 0xF]);
      out[16 + i] = scale * static_cast<float>(kNonLinear[byte >> 4]);
    }
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float scales[kBlocksPerSuper];
  for (int b = 0; b < kBlocksPerSuper; ++b) scales[b] = best_non_linear_scale(x + b * kActBlock);
  block = {};
  block.scale = signed_step(scales, kBlocksPerSuper, -kFactorBias);
  const float step = to_float(block.scale);
  for (int b = 0; b < kBlocksPerSuper; ++b, x += kActBlock) {
    const int factor = nearest_code(steps(scales[b], step), -kFactorBias, kFactorBias - 1);
    const int stored = factor + kFactorBias;
    block.factors_low[b / 2] |= static_cast<uint8_t>((stored & 0xF) << (b % 2 * 4));
    block.factors_high[b / 4] |= static_cast<uint8_t>((stored >> 4) << (b % 4 * 2));
    const float scale = step * static_cast<float>(factor);
    for (int i = 0; i < 16; ++i) {
      const int low = nearest_non_linear(steps(x[i], scale)),
                high = nearest_non_linear(steps(x[16 + i], scale));
      block.nibbles[b * 16 + i] = static_cast<uint8_t>(low | high << 4);
    }
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int, int lane) {
    std::memcpy(unit + lane * 2, block.factors_high, 2);
    put_f16(unit, 1, lane, block.scale);
    put_dwords(unit + kFactorsLow, lane, block.factors_low, 4);
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      put_dwords(unit + kCodes + b * kBlockVectors, lane, block.nibbles + b * 16, 16);
    }
  };
  pack_units<Block, kUnitBytes, 1, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocksPerSuper * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocksPerSuper);
  uint8_t high[2], low[4], place[kActBlock];
  std::memcpy(high, unit + lane * 2, 2);
  get_dwords(unit + kFactorsLow, lane, low, 4);
  get_nibbles(unit + kCodes + b * kBlockVectors, lane, place);
  for (int k = 0; k < kActBlock; ++k) out.code[k] = kNonLinear[place[k]];
  out.factor[0] = out.factor[1] = static_cast<int16_t>(factor_of(high, low, b));
  out.scale = to_float(get_f16(unit, 1, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "iq4_xs",
                                  .gguf_type = 23,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.08,
                                  .dequantize = dequantize_blocks<Block, kSuperBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kSuperBlock, quantize>,
                                  .unit_k = kSuperBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 0,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::iq4_xs
