// What the rest of the engine needs to know of a weight format. Each format is one file in quant/formats that
// fills in one FormatSpec; loading, packing, the reference matmul, the writer, `kelda inspect` and the
// contract tests derive from it.
//
// Two shapes of the same numbers:
//   row form     as GGUF stores it: a row is n / block_size blocks, one after the other.
//   packed form  as the kernels read it: 16 rows side by side ("lanes"), in units of unit_k columns, 64-byte
//   aligned and
//                of the same size as the row form (docs/formats/packed.md). Made once at load, then const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kelda::quant {

inline constexpr int kLanes = 16;     // rows side by side in packed form
inline constexpr int kActBlock = 32;  // activations share one scale per 32 columns

// One 32-column block of one lane of a packed matrix, in the integers and floats that the dot product is
// defined on. Column k belongs to half h = k / 16:
//   weight[k] = scale * factor[h] * code[k] + min[h]      in this order; no product of the first three is
//   rounded
struct DecodedBlock {
  int16_t code[kActBlock];  // -128 … 127
  int16_t factor[2];        // -128 … 127; 1 in the formats without scales of sub-blocks
  float scale;
  float min[2];
};

struct FormatSpec {
  std::string_view name;  // "q4_0": file stem, GGUF name in lower case
  uint32_t gguf_type;     // ggml type id
  int block_size;         // columns per block; a row's length must be a multiple
  int block_bytes;
  bool quantized;   // false: f32, f16, bf16
  double max_rmse;  // declared: quantising N(0,1) rows, RMS error / RMS value stays below this

  // Row form. n is a multiple of block_size. dequantize is unfused, so that it equals numpy's float32
  // arithmetic bit for bit; quantize gives the bytes that the gguf package gives, or, where it has no
  // quantizer for the format, those of a search of ours (quant/scale_search.h). Any bytes, any floats are
  // safe.
  void (*dequantize)(const std::byte* row, float* out, int64_t n) noexcept;
  void (*quantize)(const float* x, std::byte* row, int64_t n) noexcept;

  // Packed form.
  int unit_k;      // columns per unit; the last unit of a row group is padded with zero weights
  int unit_bytes;  // bytes per unit of 16 rows; a multiple of 64
  // Packs 16 rows of n columns into ceil(n / unit_k) units at `out`. A null row is a row of zero weights.
  void (*pack)(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept;
  // Quantised formats: block kb (columns 32 kb … 32 kb + 31) of lane `lane` of the row group at `group`.
  void (*decode)(const std::byte* group, int64_t kb, int lane, DecodedBlock& out) noexcept;
  // Of a 32-column block: 0, DecodedBlock::min is 0 and the dot product skips its term; 1, both halves have
  // the same; 2, one for each half.
  int n_mins;
  // Float formats: column k of lane `lane`.
  float (*value)(const std::byte* group, int64_t k, int lane) noexcept;
};

// Column k (0 … 31) of a block as a number.
inline float weight(const FormatSpec& format, const DecodedBlock& block, int k) {
  const int half = k / 16;
  const float product =
      block.scale * static_cast<float>(block.factor[half]) * static_cast<float>(block.code[k]);
  return format.n_mins == 0 ? product : product + block.min[half];
}

// Every format, sorted by file name. Generated: cmake/KeldaLayers.cmake.
std::span<const FormatSpec* const> formats();

// nullptr if no such format is in this build.
const FormatSpec* find_format(uint32_t gguf_type);
const FormatSpec* find_format(std::string_view name);

// Bytes of a row of n columns in row form. n is a multiple of block_size.
int64_t row_bytes(const FormatSpec& format, int64_t n);

}  // namespace kelda::quant
