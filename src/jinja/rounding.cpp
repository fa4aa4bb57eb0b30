#include "jinja/rounding.h"

#include <fmt/format.h>

#include <cmath>

#include "jinja/unicode.h"

namespace kelda::jinja {

double round_float(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 323) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits >= 0) return parse_double(fmt::format("{:.{}f}", value, static_cast<int>(digits)));
  const double scale = std::pow(10.0, static_cast<double>(-digits));
  double q = value / scale;
  double r = std::round(q);
  if (std::abs(q - r) == 0.5) r = 2.0 * std::round(q / 2.0);
  return r * scale;
}

int64_t round_integer(int64_t value, int64_t digits) {
  if (digits >= 0) return value;
  if (digits < -18) return 0;
  int64_t unit = 1;
  for (int64_t i = 0; i < -digits; ++i) unit *= 10;
  const int64_t rest = value % unit, down = value - rest, half = unit / 2;
  const int64_t magnitude = rest < 0 ? -rest : rest;
  const bool odd = (down / unit) % 2 != 0;
  if (magnitude < half || (magnitude == half && !odd)) return down;
  int64_t up = 0;
  return __builtin_add_overflow(down, rest < 0 ? -unit : unit, &up) ? down : up;
}

}  // namespace kelda::jinja
