#include "base/math.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kelda {
namespace {

double scale_by_power_of_two(double x, int n) {  // n in [-1022, 1023]
  const uint64_t bits = static_cast<uint64_t>(n + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return x * power;
}

// log(2) and pi/2 as sums of doubles of which the first parts have trailing zeros, so that n × part is exact.
constexpr double kLn2Hi = 0x1.62e42fefa3800p-1, kLn2Lo = 0x1.ef35793c76730p-45;
constexpr double kHalfPi1 = 0x1.921fb54400000p+0, kHalfPi2 = 0x1.0b4611a600000p-34,
                 kHalfPi3 = 0x1.3198a2e037073p-69;

}  // namespace

float exp2_f32(float x) {
  if (!(x >= -126.0f)) return x != x ? x : 0.0f;
  if (x >= 128.0f) return std::numeric_limits<float>::infinity();
  const float n = std::nearbyint(x);
  const float f = x - n;
  float p = kExp2Poly[5];
  for (int i = 4; i >= 0; --i) p = std::fma(p, f, kExp2Poly[i]);
  p = std::fma(p, f, 1.0f);
  // Two steps, so that 2^n itself stays finite for n = 128.
  const auto half = static_cast<int32_t>(n) >> 1;
  const auto rest = static_cast<int32_t>(n) - half;
  const auto power = [](int32_t e) {
    const uint32_t bits = static_cast<uint32_t>(e + 127) << 23;
    float r;
    std::memcpy(&r, &bits, sizeof r);
    return r;
  };
  return p * power(half) * power(rest);
}

float tanh_f32(float x) {
  if (x != x) return x;
  float y = std::fabs(x) * kTanhScale;
  y = y > kTanhLimit ? kTanhLimit : y;
  const float n = std::nearbyint(y);
  const float f = y - n;
  float p = kExp2Poly[5];
  for (int i = 4; i >= 0; --i) p = std::fma(p, f, kExp2Poly[i]);
  const uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(n) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  const float e = std::fma(p * f, power, power - 1.0f);  // (2^f − 1) 2^n + (2^n − 1)
  return std::copysign(e / (e + 2.0f), x);
}

double exp_f64(double x) {
  if (x != x) return x;
  if (x < -708.0) return 0.0;
  if (x > 709.0) return std::numeric_limits<double>::infinity();
  const double n = std::nearbyint(x * 0x1.71547652b82fep+0);
  double r = std::fma(-n, kLn2Hi, x);
  r = std::fma(-n, kLn2Lo, r);
  double p = 1.0 / 6227020800.0;  // Taylor to r^13 / 13!; |r| ≤ 0.347
  constexpr double kInverseFactorials[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  for (const double c : kInverseFactorials) p = std::fma(p, r, c);
  const int k = static_cast<int>(n);
  return scale_by_power_of_two(scale_by_power_of_two(p, k / 2), k - k / 2);
}

double log_f64(double x) {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x == std::numeric_limits<double>::infinity()) return x;
  int e = 0;
  double m = std::frexp(x, &e);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1), z = s * s;  // log m = 2 atanh s, |s| ≤ 0.1716
  double p = 1.0 / 25;
  for (int k = 23; k >= 3; k -= 2) p = std::fma(p, z, 1.0 / k);
  const double tail = 2 * s * z * p;
  return std::fma(e, kLn2Hi, std::fma(e, kLn2Lo, tail + 2 * s));
}

SinCos sincos_f64(double x) {
  const double n = std::nearbyint(x * 0x1.45f306dc9c883p-1);
  double r = std::fma(-n, kHalfPi1, x);
  r = std::fma(-n, kHalfPi2, r);
  r = std::fma(-n, kHalfPi3, r);
  const double z = r * r;
  double s = 1.0 / 355687428096000.0;  // Taylor to r^17 / 17! and r^16 / 16!; |r| ≤ π/4
  constexpr double kSin[] = {-1.0 / 1307674368000.0,
                             1.0 / 6227020800.0,
                             -1.0 / 39916800,
                             1.0 / 362880,
                             -1.0 / 5040,
                             1.0 / 120,
                             -1.0 / 6};
  for (const double c : kSin) s = std::fma(s, z, c);
  s = std::fma(s * z, r, r);
  double c = 1.0 / 20922789888000.0;
  constexpr double kCos[] = {-1.0 / 87178291200.0, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                             -1.0 / 720,           1.0 / 24,        -0.5,           1.0};
  for (const double k : kCos) c = std::fma(c, z, k);
  switch (static_cast<int64_t>(n) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace kelda
