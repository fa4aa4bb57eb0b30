// Q3_K: 256 weights share an f16 scale, of which each 16 take a signed 6-bit multiple:
// weight = scale * (factor - 32) * (code - 4), 3-bit codes. 110 bytes per 256 weights. GGUF type 11.
// quantize is a search of ours (quant/scale_search.h).
#pragma once

#include "quant/packed_codes.h"
#include "quant/row_form.h"
#include "quant/scale_search.h"
#include "quant/superblock.h"

namespace kelda::quant::q3_k {

struct Block {
  uint8_t high[32];       // byte i, bit b: bit 2 of column 32 b + i
  uint8_t bit_pairs[64];  // byte 32 j + i, bits 2s, 2s + 1: column 128 j + 32 s + i
  uint8_t factors[12];    // factor 8 p + i: low 4 bits in nibble p of byte i; factor 4 p + i: upper 2 bits in
                          // bits 2p, 2p + 1 of byte 8 + i
  kelda::f16 scale;
};
static_assert(sizeof(Block) == 110);

// Unit: scales (half a vector), factors (3), then bit pairs and high bits of each 32-column block (3).
inline constexpr int kFactors = kVectorBytes;
inline constexpr int kCodes = kFactors + kSixBitBytes;
inline constexpr int kBlockVectors = kBitPairBytes + kBitBytes;
inline constexpr int kUnitBytes = kCodes + kBlocksPerSuper * kBlockVectors;
inline constexpr int kBias = 4;
inline constexpr int kFactorBias = 32;

inline uint8_t read_factor(const Block& block, int s) {
  const int low = block.factors[s % 8] >> (s / 8 * 4) & 0xF,
            high = block.factors[8 + s % 4] >> (s / 4 * 2) & 3;
  return static_cast<uint8_t>(low | high << 4);
}
inline void write_factor(Block& block, int s, int factor) {
  block.factors[s % 8] |= static_cast<uint8_t>((factor & 0xF) << (s / 8 * 4));
  block.factors[8 + s % 4] |= static_cast<uint8_t>((factor >> 4) << (s / 4 * 2));
}

// The 32 codes of columns 32 b ….
inline void read_codes(const Block& block, int b, uint8_t code[kActBlock]) {
  for (int i = 0; i < kActBlock; ++i) {
    const int low = block.bit_pairs[b / 4 * 32 + i] >> (b % 4 * 2) & 3;
    code[i] = static_cast<uint8_t>(low | (block.high[i] >> b & 1) << 2);
  }
}

inline void dequantize(const Block& block, float* out) noexcept {
  uint8_t code[kActBlock];
  for (int s = 0; s < 16; ++s, out += 16) {
    const float scale = to_float(block.scale) * static_cast<float>(read_factor(block, s) - kFactorBias);
    read_codes(block, s / 2, code);
    for (int i = 0; i < 16; ++i) out[i] = scale * static_cast<float>(code[s % 2 * 16 + i] - kBias);
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  float scales[16];
  for (int s = 0; s < 16; ++s) scales[s] = best_symmetric_scale(x + s * 16, 16, -kBias);
  block = {};
  block.scale = signed_step(scales, 16, -kFactorBias);
  const float step = to_float(block.scale);
  for (int s = 0; s < 16; ++s) {
    const int factor = nearest_code(steps(scales[s], step), -kFactorBias, kFactorBias - 1);
    write_factor(block, s, factor + kFactorBias);
    const int b = s / 2;
    for (int i = 0; i < 16; ++i) {
      const float v = steps(x[s * 16 + i], step * static_cast<float>(factor));
      const int code = nearest_code(v, -kBias, kBias - 1) + kBias, at = s % 2 * 16 + i;
      block.bit_pairs[b / 4 * 32 + at] |= static_cast<uint8_t>((code & 3) << (b % 4 * 2));
      block.high[at] |= static_cast<uint8_t>((code >> 2) << b);
    }
  }
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int, int lane) {
    put_f16(unit, 0, lane, block.scale);
    uint8_t factor[16], code[kActBlock];
    for (int s = 0; s < 16; ++s) factor[s] = read_factor(block, s);
    put_six_bits(unit + kFactors, lane, factor);
    for (int b = 0; b < kBlocksPerSuper; ++b) {
      std::byte* vectors = unit + kCodes + b * kBlockVectors;
      read_codes(block, b, code);
      put_bit_pairs(vectors, lane, code, 0);
      put_bits(vectors + kBitPairBytes, lane, code, 2);
    }
  };
  pack_units<Block, kUnitBytes, 1, kSuperBlock>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocksPerSuper * kUnitBytes;
  const int b = static_cast<int>(kb % kBlocksPerSuper);
  const std::byte* vectors = unit + kCodes + b * kBlockVectors;
  uint8_t code[kActBlock] = {};
  get_bit_pairs(vectors, lane, code, 0);
  get_bits(vectors + kBitPairBytes, lane, code, 2);
  to_signed(code, kBias, out.code);
  for (int half = 0; half < 2; ++half) {
    out.factor[half] = static_cast<int16_t>(get_six_bits(unit + kFactors, lane, 2 * b + half) - kFactorBias);
  }
  out.scale = to_float(get_f16(unit, 0, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "q3_k",
                                  .gguf_type = 11,
                                  .block_size = kSuperBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.155,
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

}  // namespace kelda::quant::q3_k
