// IQ4_NL: 32 weights share one f16 scale; weight = scale * kNonLinear[nibble]. 18 bytes per 32 weights. GGUF
// type
// 20. quantize is a search of ours (quant/codebook.h).
#pragma once

#include "quant/codebook.h"
#include "quant/packed_codes.h"
#include "quant/row_form.h"

namespace kelda::quant::iq4_nl {

struct Block {
  kelda::f16 scale;
  uint8_t nibbles[16];  // byte i: column i low, column 16 + i high
};
static_assert(sizeof(Block) == 18);

// Unit: nibbles of block 0 (4 vectors), of block 1 (4), scales (1).
inline constexpr int kBlockVectors = kNibbleBytes;
inline constexpr int kScales = kUnitBlocks * kBlockVectors;
inline constexpr int kUnitBytes = kScales + kVectorBytes;

inline void dequantize(const Block& block, float* out) noexcept {
  const float scale = to_float(block.scale);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(kNonLinear[block.nibbles[i] & 0xF]);
    out[16 + i] = scale * static_cast<float>(kNonLinear[block.nibbles[i] >> 4]);
  }
}

inline void quantize(const float* x, Block& block) noexcept {
  block.scale = to_f16(best_non_linear_scale(x));
  const float scale = to_float(block.scale);
  for (int i = 0; i < 16; ++i) {
    const int low = nearest_non_linear(steps(x[i], scale)),
              high = nearest_non_linear(steps(x[16 + i], scale));
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
  uint8_t place[kActBlock];
  get_nibbles(unit + i * kBlockVectors, lane, place);
  for (int k = 0; k < kActBlock; ++k) out.code[k] = kNonLinear[place[k]];
  out.factor[0] = out.factor[1] = 1;
  out.scale = to_float(get_f16(unit + kScales, i, lane));
  out.min[0] = out.min[1] = 0;
}

inline const FormatSpec& format() {
  static const FormatSpec spec = {.name = "iq4_nl",
                                  .gguf_type = 20,
                                  .block_size = kActBlock,
                                  .block_bytes = sizeof(Block),
                                  .quantized = true,
                                  .max_rmse = 0.08,
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

}  // namespace kelda::quant::iq4_nl
