// How sure a share is that was counted.
#pragma once

#include <cstdint>

namespace kelda::measure {

struct Interval {
  double low = 0, high = 1;
};

// The 95 % interval of a probability that came true n_true times out of n; [0, 1] where n is 0.
//   0 ≤ n_true ≤ n. Source: Wilson 1927, "Probable inference, the law of succession, and statistical
//   inference"; it stays within [0, 1], and is right for few trials too.
Interval wilson_95(int64_t n_true, int64_t n);

}  // namespace kelda::measure
