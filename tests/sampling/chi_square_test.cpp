#include "sampling/chi_square.h"

#include <gtest/gtest.h>

#include <vector>

namespace kelda::sampling {
namespace {

ChiSquare test_of(const std::vector<uint64_t>& counts, const std::vector<double>& p) {
  return chi_square(counts, p);
}

TEST(ChiSquareTail, KnownValues) {
  // exp(−x / 2) for two degrees of freedom; the others from tables of percentage points.
  EXPECT_NEAR(chi_square_tail(2, 2), 0.36787944117144233, 1e-14);
  EXPECT_NEAR(chi_square_tail(40, 2), 2.061153622438558e-09, 1e-20);
  EXPECT_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(6.634896601021213, 1), 0.01, 1e-12);
  EXPECT_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(124.34211340400407, 100), 0.05, 1e-12);
  EXPECT_NEAR(chi_square_tail(77.92946516501726, 100), 0.95, 1e-12);
  EXPECT_EQ(chi_square_tail(0, 5), 1);
}

TEST(ChiSquare, ComparesCountsWithProbabilities) {
  const ChiSquare fair = test_of({48, 52}, {0.5, 0.5});
  EXPECT_NEAR(fair.chi2, 0.16, 1e-12);
  EXPECT_EQ(fair.dof, 1);
  EXPECT_NEAR(fair.p, 0.6891565167793516, 1e-12);
  EXPECT_LT(test_of({400, 600}, {0.5, 0.5}).p, 1e-9);
}

TEST(ChiSquare, AnImpossibleOutcomeIsAFailure) {
  EXPECT_EQ(test_of({99999, 1}, {1.0, 0.0}).p, 0);
  EXPECT_EQ(test_of({50, 50, 1}, {0.5, 0.5, 0.0}).p, 0);
}

TEST(ChiSquare, RareOutcomesAreCountedTogether) {
  // Expected 1 + 1 + 4: one cell of 6, beside 994.
  const ChiSquare pooled = test_of({994, 2, 0, 4}, {0.994, 0.001, 0.001, 0.004});
  EXPECT_EQ(pooled.dof, 1);
  EXPECT_EQ(pooled.chi2, 0);
  // Expected 1: joins the rarest of the others.
  const ChiSquare joined = test_of({600, 399, 1}, {0.6, 0.399, 0.001});
  EXPECT_EQ(joined.dof, 1);
  EXPECT_NEAR(joined.chi2, 0, 1e-12);
  // Far too often is seen wherever it is counted.
  EXPECT_LT(test_of({500, 300, 200}, {0.6, 0.399, 0.001}).p, 1e-9);
}

TEST(ChiSquare, ACertainOutcomeLeavesNothingToTest) {
  const ChiSquare certain = test_of({0, 1000}, {0.0, 1.0});
  EXPECT_EQ(certain.dof, 0);
  EXPECT_EQ(certain.p, 1);
}

}  // namespace
}  // namespace kelda::sampling
