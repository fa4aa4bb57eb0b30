#include "measure/wilson.h"

#include <gtest/gtest.h>

namespace kelda::measure {
namespace {

// Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
TEST(Wilson, KnownValues) {
  const auto expect = [](int64_t n_true, int64_t n, double low, double high) {
    EXPECT_NEAR(wilson_95(n_true, n).low, low, 5e-5) << n_true << " of " << n;
    EXPECT_NEAR(wilson_95(n_true, n).high, high, 5e-5) << n_true << " of " << n;
  };
  expect(81, 263, 0.2553, 0.3662);
  expect(15, 148, 0.0624, 0.1605);
  expect(0, 20, 0, 0.1611);
  expect(1, 29, 0.0061, 0.1718);
}

TEST(Wilson, KnowsNothingWithoutTrials) {
  EXPECT_EQ(wilson_95(0, 0).low, 0);
  EXPECT_EQ(wilson_95(0, 0).high, 1);
}

TEST(Wilson, IsTheSameFromBothSides) {
  EXPECT_NEAR(wilson_95(20, 20).low, 1 - wilson_95(0, 20).high, 1e-12);
  EXPECT_EQ(wilson_95(20, 20).high, 1);
}

TEST(Wilson, HoldsTheShareAndNarrows) {
  for (int64_t n = 1; n < 400; n += 7) {
    for (int64_t k = 0; k <= n; ++k) {
      const Interval i = wilson_95(k, n);
      const double share = static_cast<double>(k) / static_cast<double>(n);
      EXPECT_LE(0, i.low);
      EXPECT_LE(i.low, share + 1e-12);
      EXPECT_GE(i.high, share - 1e-12);
      EXPECT_LE(i.high, 1);
      EXPECT_LT(wilson_95(10 * k, 10 * n).high - wilson_95(10 * k, 10 * n).low, i.high - i.low);
    }
  }
}

}  // namespace
}  // namespace kelda::measure
