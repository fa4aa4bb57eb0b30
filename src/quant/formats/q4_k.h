// Q4_K: 256 weights share an f16 scale and an f16 minimum, of which each 32 take a 6-bit multiple:
// weight = scale * factor * code - min * multiple, 4-bit codes. 144 bytes per 256 weights. GGUF type 12.
// quantize is a search of ours (quant/scale_search.h).
#pragma once

#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/scale_search.h"
#include "quant/superblock.h"

namespace kelda::quant::q4_k {

struct Block {
  kelda::f16 scale;
  kelda::f16 min;
  uint8_t factors[12];   // superblock.h
  uint8_t nibbles[128];  // byte 32 j + i: column 64 j + i low, column 64 j + 32 + i high
};
static_assert(sizeof(Block) == 144);

// Unit: scales and mins (1 vector), their multiples (3), then the nibbles (4) of each 32-column block.
inline constexpr int kFactors = kVectorBytes;
inline constexpr int kCodes = kFactors + kSixBitBytes;
inline constexpr int kBlockVectors = kNibbleBytes;
inline constexpr int kUnitBytes = kCodes + kBlocksPerSuper * kBlockVectors;
inline constexpr int kHighest = 15;

// The 32 codes of sub-block b.
inline void read_codes(const Block& block, int b, uint8_t code[kActBlock]) {
  for (int i = 0; i < kActBlock; ++i) {
    code[i] = block.nibbles[b / 2 * 32 + i] >> (b % 2 * 4) & 0xF;
  }
}

inline void dequantize(const Block& block, float* out) noexcept {
  uint8_t factor[8], multiple[8], code[kActBlock];
  read_scales_and_mins(block.factors, factor, multiple);
  for (int b = 0; b < kBlocksPerSuper; ++b, out += kActBlock) {
    const float scale = to_float(block.scale) * static_cast<float>(factor[b]);
    const float min = to_float(block.min) * static_cast<float>(multiple[b]);
    read_codes(block, b, code);
    for (int i = 0; i < kActBlock; ++i) out[i] = scale * static_cast<float>(code[i]) - min;
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float scales[8], mins[8];
  for (int b = 0; b < kBlocksPerSuper; ++b) {
    const AffineFit fit = best_affine(x + b * kActBlock, kActBlock, kHighest);
    scales[b] = fit.scale;
    mins[b] = fit.min;
  }
  block = {};
  block.scale = unsigned_step(scales, kBlocksPerSuper, 63);
  block.min = unsigned_step(mins, kBlocksPerSuper, 63);
  uint8_t factor[8], multiple[8];
  for (int b = 0; b < kBlocksPerSuper; ++b) {
    factor[b] = static_cast<uint8_t>(nearest_code(steps(scales[b], to_float(block.scale)), 0, 63));
    multiple[b] = static_cast<uint8_t>(nearest_code(steps(mins[b], to_float(block.min)), 0, 63));
    const AffineFit stored = {to_float(block.scale) * static_cast<float>(factor[b]),
                              to_float(block.min) * static_cast<float>(multiple[b])};
    for (int i = 0; i < kActBlock; ++i) {
      const int code = affine::code(x[b * kActBlock + i], stored, kHighest);
      block.nibbles[b / 2 * 32 + i] |= static_cast<uint8_t>((code & 0xF) << (b % 2 * 4));
    }
  }
  write_scales_and_mins(factor, multiple, block.factors);
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int, int lane) {
    put_f16(unit, 0, lane, block.scale);
    put_f16(unit, 1, lane, block.min);
    uint8_t numbers[16], code[kActBlock];
    read_scales_and_mins(block.factors, numbers, numbers + 8);
    put_six_bits(unit + kFactors, lane, numbers);
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      read_codes(block, b, code);
      put_nibbles(unit + kCodes + b * kBlockVectors, lane, code);
    }
  };
  pack_units<Block, kUnitBytes, 1, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocksPerSuper * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocksPerSuper);
  uint8_t code[kActBlock];
  get_nibbles(unit + kCodes + b * kBlockVectors, lane, code);
  to_signed(code, 0, out.code);
  out.factor[0] = out.factor[1] = get_six_bits(unit + kFactors, lane, b);
  out.scale = to_float(get_f16(unit, 0, lane));
  out.min[0] = out.min[1] =
      -to_float(get_f16(unit, 1, lane)) * static_cast<float>(get_six_bits(unit + kFactors, lane, 8 + b));
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q4_k",
                                  .gguf_type = 12,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.077,
                                  .dequantize = dequantize_blocks<Block, kSuperBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kSuperBlock, quantize>,
                                  .unit_k = kSuperBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 1,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::q4_k
