// The float formats differ only in how one number is stored. Packed form: per column the 16 rows' numbers
// side by side, and as many columns to a unit as fill 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "quant/format.h"
#include "quant/row_form.h"

namespace kelda::quant {

template <typename Number>
struct FloatForm {
  static constexpr int kColumnBytes = kLanes * static_cast<int>(sizeof(Number));
  static constexpr int kUnitColumns = 64 / kColumnBytes;
  static_assert(kUnitColumns * kColumnBytes == 64);

  static void pack(const std::byte* const rows[kLanes], int64_t n, std::byte* out) noexcept {
    const int64_t padded = (n + kUnitColumns - 1) / kUnitColumns * kUnitColumns;
    for (int64_t k = 0; k < padded; ++k) {
      for (int lane = 0; lane < kLanes; ++lane, out += sizeof(Number)) {
        if (k < n && rows[lane] != nullptr) {
          std::memcpy(out, rows[lane] + k * static_cast<int64_t>(sizeof(Number)), sizeof(Number));
        } else {
          std::memset(out, 0, sizeof(Number));
        }
      }
    }
  }

  static Number stored(const std::byte* group, int64_t k, int lane) noexcept {
    Number number;
    std::memcpy(&number, group + k * kColumnBytes + lane * static_cast<int>(sizeof(Number)), sizeof number);
    return number;
  }
};

// kTo: from the stored number to float; kFrom: back.
template <typename Number, void (*kTo)(const Number&, float*) noexcept,
          void (*kFrom)(const float*, Number&) noexcept>
FormatSpec float_format(std::string_view name, uint32_t gguf_type, double max_rmse) {
  using Form = FloatForm<Number>;
  return {.name = name,
          .gguf_type = gguf_type,
          .block_size = 1,
          .block_bytes = sizeof(Number),
          .quantized = false,
          .max_rmse = max_rmse,
          .dequantize = dequantize_blocks<Number, 1, kTo>,
          .quantize = quantize_blocks<Number, 1, kFrom>,
          .unit_k = Form::kUnitColumns,
          .unit_bytes = 64,
          .pack = Form::pack,
          .decode = nullptr,
          .n_mins = 0,
          .value = [](const std::byte* group, int64_t k, int lane) noexcept {
            float value;
            kTo(Form::stored(group, k, lane), &value);
            return value;
          }};
}

}  // namespace kelda::quant
