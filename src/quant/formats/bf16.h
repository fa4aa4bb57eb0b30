// BF16: the upper half of a float. GGUF type 30.
#pragma once

#include "base/half.h"
#include "quant/float_form.h"

namespace kelda::quant::bf16 {

using Number = kelda::bf16;
inline void to_f32(const Number& stored, float* out) noexcept { *out = to_float(stored); }
inline void from_f32(const float* x, Number& stored) noexcept { stored = to_bf16(*x); }

inline const FormatSpec& format() {
  static const FormatSpec spec = float_format<Number, to_f32, from_f32>("bf16", 30, 0.0024);
  return spec;
}

}  // namespace kelda::quant::bf16
