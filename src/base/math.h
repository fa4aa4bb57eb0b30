// The transcendental functions of the forward pass and of sampling, ours, so that they give the same bits on
// every machine (a C library picks processor-specific variants). Built from + − × ÷ and fma alone.
#pragma once

#include <cstdint>

namespace kelda {

// 2^f − 1 over f on [−½, ½] as a polynomial, lowest power first. Vector kernels use the same constants in the
// same order.
inline constexpr float kExp2Poly[6] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af6cp-5f,
                                       0x1.3b2a1cp-7f, 0x1.5f0896p-10f, 0x1.444004p-13f};
inline constexpr float kLog2E = 0x1.715476p+0f;

// 2^x. Below −126: exactly 0. 128 and above: +inf. NaN: NaN. exp2_f32(0) == 1 exactly. Relative error < 1e-7.
float exp2_f32(float x);

// The hyperbolic tangent, by way of 2^x − 1. Odd, and exactly ±1 from |x| = 20 on. NaN: NaN. Relative error <
// 5e-7.
float tanh_f32(float x);
// tanh x = e / (e + 2), e = 2^y − 1, y = |x| × kTanhScale, at most kTanhLimit.
inline constexpr float kTanhScale = 2 * kLog2E;
inline constexpr float kTanhLimit = 64.0f;

// e^x, natural logarithm, sine and cosine in double; error < 2e-15 relative (sine and cosine: absolute, |x| ≤
// 1e8).
double exp_f64(double x);
double log_f64(double x);
struct SinCos {
  double sin, cos;
};
SinCos sincos_f64(double x);

}  // namespace kelda
