// F16: IEEE half precision. GGUF type 1.
#pragma once

#include "base/half.h"
#include "quant/float_form.h"

namespace kelda::quant::f16 {

using Number = kelda::f16;
inline void to_f32(const Number& stored, float* out) noexcept { *out = to_float(stored); }
inline void from_f32(const float* x, Number& stored) noexcept { stored = to_f16(*x); }

inline const FormatSpec& format() {
  static const FormatSpec spec = float_format<Number, to_f32, from_f32>("f16", 1, 0.0003);
  return spec;
}

}  // namespace kelda::quant::f16
