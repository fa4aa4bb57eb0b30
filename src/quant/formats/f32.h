// F32: weights as they are. GGUF type 0.
#pragma once

#include "quant/float_form.h"

namespace kelda::quant::f32 {

inline void to_f32(const float& stored, float* out) noexcept { *out = stored; }
inline void from_f32(const float* x, float& stored) noexcept { stored = *x; }

inline const FormatSpec& format() {
  static const FormatSpec spec = float_format<float, to_f32, from_f32>("f32", 0, 1e-12);
  return spec;
}

}  // namespace kelda::quant::f32
