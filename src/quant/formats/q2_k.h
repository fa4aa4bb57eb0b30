// Q2_K: 256 weights share an f16 scale and an f16 minimum, of which each 16 take a 4-bit multiple:
// weight = scale * factor * code - min * multiple, 2-bit codes. 84 bytes per 256 weights. GGUF type 10.
// quantize is a search of ours (quant/scale_search.h).
#pragma once

#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/scale_search.h"
#include "quant/superblock.h"

namespace kelda::quant::q2_k {

struct Block {
  uint8_t factors[16];    // of sub-block i: of the scale in the low nibble, of the minimum in the high one
  uint8_t bit_pairs[64];  // byte 32 j + i, bits 2s, 2s + 1: column 128 j + 32 s + i
  kelda::f16 scale;
  kelda::f16 min;
};
static_assert(sizeof(Block) == 84);

// Unit: scales and mins (1 vector), their multiples as in row form (4), then the codes of each 32-column
// block (2).
inline constexpr int kFactors = kVectorBytes;
inline constexpr int kCodes = kFactors + kSubScaleBytes;
inline constexpr int kBlockVectors = kBitPairBytes;
inline constexpr int kUnitBytes = kCodes + kBlocksPerSuper * kBlockVectors;
inline constexpr int kHighest = 3;

// The 32 codes of columns 32 b ….
inline void read_codes(const Block& block, int b, uint8_t code[kActBlock]) {
  for (int i = 0; i < kActBlock; ++i) code[i] = block.bit_pairs[b / 4 * 32 + i] >> (b % 4 * 2) & 3;
}

inline void dequantize(const Block& block, float* out) noexcept {
  uint8_t code[kActBlock];
  for (int s = 0; s < 16; ++s, out += 16) {
    const float scale = to_float(block.scale) * static_cast<float>(block.factors[s] & 0xF);
    const float min = to_float(block.min) * static_cast<float>(block.factors[s] >> 4);
    read_codes(block, s / 2, code);
    for (int i = 0; i < 16; ++i) out[i] = scale * static_cast<float>(code[s % 2 * 16 + i]) - min;
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float scales[16], mins[16];
  for (int s = 0; s < 16; ++s) {
    const AffineFit fit = best_affine(x + s * 16, 16, kHighest);
    scales[s] = fit.scale;
    mins[s] = fit.min;
  }
  block = {};
  block.scale = unsigned_step(scales, 16, 15);
  block.min = unsigned_step(mins, 16, 15);
  for (int s = 0; s < 16; ++s) {
    const int factor = nearest_code(steps(scales[s], to_float(block.scale)), 0, 15);
    const int multiple = nearest_code(steps(mins[s], to_float(block.min)), 0, 15);
    block.factors[s] = static_cast<uint8_t>(factor | multiple << 4);
    const AffineFit stored = {to_float(block.scale) * static_cast<float>(factor),
                              to_float(block.min) * static_cast<float>(multiple)};
    for (int i = 0; i < 16; ++i) {
      const int code = affine::code(x[s * 16 + i], stored, kHighest);
      block.bit_pairs[s / 8 * 32 + s % 2 * 16 + i] |= static_cast<uint8_t>(code << (s / 2 % 4 * 2));
    }
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int, int lane) {
    put_f16(unit, 0, lane, block.scale);
    put_f16(unit, 1, lane, block.min);
    put_dwords(unit + kFactors, lane, block.factors, 16);
    uint8_t code[kActBlock];
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      read_codes(block, b, code);
      put_bit_pairs(unit + kCodes + b * kBlockVectors, lane, code, 0);
    }
  };
  pack_units<Block, kUnitBytes, 1, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocksPerSuper * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocksPerSuper);
  uint8_t code[kActBlock] = {};
  get_bit_pairs(unit + kCodes + b * kBlockVectors, lane, code, 0);
  to_signed(code, 0, out.code);
  out.scale = to_float(get_f16(unit, 0, lane));
  for (int half = 0; half < 2; ++half) {
    const uint8_t factors = get_byte(unit + kFactors, lane, 2 * b + half);
    out.factor[half] = factors & 0xF;
    out.min[half] = -to_float(get_f16(unit, 1, lane)) * static_cast<float>(factors >> 4);
  }
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q2_k",
                                  .gguf_type = 10,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.29,
                                  .dequantize = dequantize_blocks<Block, kSuperBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kSuperBlock, quantize>,
                                  .unit_k = kSuperBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 2,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::q2_k
