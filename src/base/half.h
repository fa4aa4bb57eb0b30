// The 16-bit float formats, converted in software and exactly as the hardware does (round to nearest even;
// NaN stays quiet NaN). `static` so that every translation unit keeps its own copy:
// docs/adr/0004-isa-dispatch.md.
#pragma once

#include <cstdint>
#include <cstring>

namespace kelda {

struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};

[[maybe_unused]] static inline float to_float(bf16 h) {
  const uint32_t u = static_cast<uint32_t>(h.bits) << 16;
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

[[maybe_unused]] static inline float to_float(f16 h) {
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
  const uint32_t exponent = (h.bits >> 10) & 0x1Fu;
  uint32_t fraction = h.bits & 0x3FFu;
  uint32_t u;
  if (exponent == 0x1F) {
    u = sign | 0x7F800000u | (fraction << 13) | (fraction ? 0x400000u : 0);
  } else if (exponent != 0) {
    u = sign | ((exponent + 112) << 23) | (fraction << 13);
  } else if (fraction == 0) {
    u = sign;
  } else {  // subnormal: shift until the leading one is implicit
    uint32_t e = 113;
    while (!(fraction & 0x400u)) {
      fraction <<= 1;
      --e;
    }
    u = sign | (e << 23) | ((fraction & 0x3FFu) << 13);
  }
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

[[maybe_unused]] static inline f16 to_f16(float value) {
  uint32_t u;
  std::memcpy(&u, &value, sizeof u);
  const auto sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  u &= 0x7FFFFFFFu;
  if (u >= 0x7F800000u) {  // infinity, or NaN made quiet
    const uint32_t fraction = (u >> 13) & 0x3FFu;
    return {static_cast<uint16_t>(sign | 0x7C00u | (u > 0x7F800000u ? 0x200u | fraction : 0u))};
  }
  if (u >= 0x477FF000u) return {static_cast<uint16_t>(sign | 0x7C00u)};  // rounds past 65504
  if (u < 0x38800000u) {                                                 // subnormal or zero
    if (u < 0x33000000u) return {sign};
    const uint32_t shift = 126 - (u >> 23);
    const uint32_t mantissa = (u & 0x7FFFFFu) | 0x800000u;
    const uint32_t kept = mantissa >> shift;
    const uint32_t rest = mantissa & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t up = (rest > half || (rest == half && (kept & 1u))) ? 1 : 0;
    return {static_cast<uint16_t>(sign | (kept + up))};
  }
  const uint32_t rounded = u + 0xFFFu + ((u >> 13) & 1u);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13))};
}

[[maybe_unused]] static inline bf16 to_bf16(float value) {
  uint32_t u;
  std::memcpy(&u, &value, sizeof u);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<uint16_t>((u >> 16) | 0x40u)};
  return {static_cast<uint16_t>((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16)};
}

}  // namespace kelda
