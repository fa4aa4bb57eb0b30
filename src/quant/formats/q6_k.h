// Q6_K: 256 weights share an f16 scale, of which each 16 take an 8-bit multiple:
// weight = scale * factor * (code - 32), 6-bit codes. 210 bytes per 256 weights. GGUF type 14.
// quantize is a search of ours (quant/scale_search.h).
#pragma once

#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/scale_search.h"
#include "quant/superblock.h"

namespace kelda::quant::q6_k {

struct Block {
  uint8_t nibbles[128];   // byte 64 j + i: column 128 j + i low, column 128 j + 64 + i high
  uint8_t bit_pairs[64];  // byte 32 j + i, bits 2s, 2s + 1: bits 4 and 5 of column 128 j + 32 s + i
  uint8_t factors[16];    // two's complement
  kelda::f16 scale;
};
static_assert(sizeof(Block) == 210);

// Unit: scales (half a vector), factors (4), then nibbles and bit pairs of each 32-column block (6).
inline constexpr int kFactors = kVectorBytes;
inline constexpr int kCodes = kFactors + kSubScaleBytes;
inline constexpr int kBlockVectors = kNibbleBytes + kBitPairBytes;
inline constexpr int kUnitBytes = kCodes + kBlocksPerSuper * kBlockVectors;
inline constexpr int kBias = 32;

// The 32 codes of columns 32 b ….
inline void read_codes(const Block& block, int b, uint8_t code[kActBlock]) {
  for (int i = 0; i < kActBlock; ++i) {
    const int low = block.nibbles[b / 4 * 64 + b % 2 * 32 + i] >> (b / 2 % 2 * 4) & 0xF;
    code[i] = static_cast<uint8_t>(low | (block.bit_pairs[b / 4 * 32 + i] >> (b % 4 * 2) & 3) << 4);
  }
}

inline void dequantize(const Block& block, float* out) noexcept {
  uint8_t code[kActBlock];
  for (int s = 0; s < 16; ++s, out += 16) {
    const float scale = to_float(block.scale) * static_cast<float>(static_cast<int8_t>(block.factors[s]));
    read_codes(block, s / 2, code);
    for (int i = 0; i < 16; ++i) out[i] = scale * static_cast<float>(code[s % 2 * 16 + i] - kBias);
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float scales[16];
  for (int s = 0; s < 16; ++s) scales[s] = best_symmetric_scale(x + s * 16, 16, -kBias);
  block = {};
  block.scale = signed_step(scales, 16, -128);
  const float step = to_float(block.scale);
  for (int s = 0; s < 16; ++s) {
    const int factor = nearest_code(steps(scales[s], step), -128, 127);
    block.factors[s] = static_cast<uint8_t>(factor);
    const int b = s / 2;
    for (int i = 0; i < 16; ++i) {
      const float v = steps(x[s * 16 + i], step * static_cast<float>(factor));
      const int code = nearest_code(v, -kBias, kBias - 1) + kBias, at = s % 2 * 16 + i;
      block.nibbles[b / 4 * 64 + b % 2 * 32 + at] |= static_cast<uint8_t>((code & 0xF) << (b / 2 % 2 * 4));
      block.bit_pairs[b / 4 * 32 + at] |= static_cast<uint8_t>((code >> 4) << (b % 4 * 2));
    }
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int, int lane) {
    put_f16(unit, 0, lane, block.scale);
    put_dwords(unit + kFactors, lane, block.factors, 16);
    uint8_t code[kActBlock];
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      std::byte* vectors = unit + kCodes + b * kBlockVectors;
      read_codes(block, b, code);
      put_nibbles(vectors, lane, code);
      put_bit_pairs(vectors + kNibbleBytes, lane, code, 4);
    }
  };
  pack_units<Block, kUnitBytes, 1, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocksPerSuper * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocksPerSuper);
  const std::byte* vectors = unit + kCodes + b * kBlockVectors;
  uint8_t code[kActBlock];
  get_nibbles(vectors, lane, code);
  get_bit_pairs(vectors + kNibbleBytes, lane, code, 4);
  to_signed(code, kBias, out.code);
  for (int half = 0; half < 2; ++half) {
    out.factor[half] = static_cast<int8_t>(get_byte(unit + kFactors, lane, 2 * b + half));
  }
  out.scale = to_float(get_f16(unit, 0, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q6_k",
                                  .gguf_type = 14,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.019,
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

}  // namespace kelda::quant::q6_k
