#include "measure/wilson.h"

#include <algorithm>
#include <cmath>

namespace kelda::measure {

Interval wilson_95(int64_t n_true, int64_t n) {
  if (n == 0) return {};
  constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution lie below
  const double trials = static_cast<double>(n), share = static_cast<double>(n_true) / trials;
  const double z2 = kZ * kZ / trials;
  const double centre = share + z2 / 2;
  const double half = kZ * std::sqrt(share * (1 - share) / trials + z2 / (4 * trials));
  return {std::max(0.0, (centre - half) / (1 + z2)), std::min(1.0, (centre + half) / (1 + z2))};
}

}  // namespace kelda::measure
