// MXFP4: 32 weights share one power of two; weight = scale * kDoubled[nibble], the 4-bit floats of the OCP
// microscaling formats (v1.0), doubled so that they are integers, with half their scale. 17 bytes per 32
// weights. GGUF type 39. quantize gives what the gguf package gives.
#pragma once

#include <cmath>

#include "quant/packed_codes.h"
#include "quant/row_form.h"

namespace kelda::quant::mxfp4 {

struct Block {
  uint8_t exponent;     // the scale is 2^(exponent - 128)
  uint8_t nibbles[16];  // byte i: column i low, column 16 + i high
};
static_assert(sizeof(Block) == 17);

// Unit: nibbles of blocks 0 to 3 (4 vectors each), then one vector of exponents: 16 bytes of each block, by
// lane.
inline constexpr int kBlocks = 4;
inline constexpr int kBlockVectors = kNibbleBytes;
inline constexpr int kExponents = kBlocks * kBlockVectors;
inline constexpr int kUnitBytes = kExponents + kVectorBytes;

inline constexpr int8_t kDoubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

inline float scale_of(uint8_t exponent) {
  const uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1u) << 23;
  float scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return scale;
}

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = scale_of(block.exponent);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(kDoubled[block.nibbles[i] & 0xF]);
    out[16 + i] = scale * static_cast<float>(kDoubled[block.nibbles[i] >> 4]);
  }
}

// The largest magnitude gets the exponent under which it lies in 8 … 16; every weight then takes the nearest
// value, the first of two equally near.
inline void quantize(const float* x, Block& block) noexcept {
  float largest = 0;
  for (int i = 0; i < kActBlock; ++i) largest = std::fabs(x[i]) > largest ? std::fabs(x[i]) : largest;
  int exponent = 0;
  if (largest > 0) {
    const int power = std::isinf(largest) ? 128 : std::ilogb(largest);  // floor(log2(largest))
    exponent = power + 125 < 0 ? 0 : power + 125;
  }
  block.exponent = static_cast<uint8_t>(exponent);
  const float scale = scale_of(block.exponent);
  uint8_t code[kActBlock];
  for (int k = 0; k < kActBlock; ++k) {
    float best = std::fabs(scale * static_cast<float>(kDoubled[0]) - x[k]);
    code[k] = 0;
    for (uint8_t c = 1; c < 16; ++c) {
      const float error = std::fabs(scale * static_cast<float>(kDoubled[c]) - x[k]);
      if (error < best) best = error, code[k] = c;
    }
  }
  for (int i = 0; i < 16; ++i) block.nibbles[i] = static_cast<uint8_t>(code[i] | code[16 + i] << 4);
}

inline void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
  const auto put = [](const Block& block, std::byte* unit, int i, int lane) {
    put_dwords(unit + i * kBlockVectors, lane, block.nibbles, 16);
    unit[kExponents + i * kLanes + lane] = std::byte{block.exponent};
  };
  pack_units<Block, kUnitBytes, kBlocks>(rows, n, out, put);
}

inline void decode(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept {
  const std::byte* unit = group + kb / kBlocks * kUnitBytes;
  const int i = static_cast<int>(kb % kBlocks);
  uint8_t place[kActBlock];
  get_nibbles(unit + i * kBlockVectors, lane, place);
  for (int k = 0; k < kActBlock; ++k) out.code[k] = kDoubled[place[k]];
  out.factor[0] = out.factor[1] = 1;
  out.scale = scale_of(std::to_integer<uint8_t>(unit[kExponents + i * kLanes + lane]));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "mxfp4",
                                  .gguf_type = 39,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.125,
                                  .dequantize = dequantize_blocks<Block, kActBlock, dequantize>,
                                  .quantize = quantize_blocks<Block, kActBlock, quantize>,
                                  .unit_k = kBlocks * kActBlock,
                                  .unit_bytes = kUnitBytes,
                                  .pack = pack,
                                  .decode = decode,
                                  .n_mins = 0,
                                  .value = nullptr};
  return spec;
}

}  // namespace kelda::quant::mxfp4
