#include "sampling/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

std::vector<Candidate> candidates_of(const std::vector<float>& logits) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < logits.size(); ++i) out.push_back({static_cast<TokenId>(i), logits[i]});
  return out;
}

TEST(ExpBelowZero, IsAccurateEverywhere) {
  double worst = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    const double u = uniform({1, 0, i}, 0), x = -708 * u * u * u;
    const auto exact = std::exp(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs((exp_below_zero(x) - exact) / exact)));
  }
  EXPECT_LT(worst, 4e-15);
}

TEST(ExpBelowZero, ExactValuesAndBorders) {
  EXPECT_EQ(exp_below_zero(0), 1.0);
  EXPECT_EQ(exp_below_zero(-0.0), 1.0);
  EXPECT_GT(exp_below_zero(-708), 0.0);
  EXPECT_EQ(exp_below_zero(-708.1), 0.0);
  EXPECT_EQ(exp_below_zero(-1e300), 0.0);
  EXPECT_EQ(exp_below_zero(-std::numeric_limits<double>::infinity()), 0.0);
}

TEST(Weights, AreExponentialsWithTheirSum) {
  const std::vector<float> logits = some_logits(1000);
  const float max = *std::max_element(logits.begin(), logits.end());
  Weights weights;
  weights.assign(candidates_of(logits), max);
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double exact = std::exp(static_cast<double>(logits[i]) - static_cast<double>(max));
    ASSERT_NEAR(weights.each()[i], exact, 4e-15 * exact);
    sum += exact;
  }
  EXPECT_NEAR(weights.total(), sum, 1e-12 * sum);
}

TEST(Weights, PickWalksTheWeightsInOrder) {
  const std::vector<float> logits(1000, 0.25f);  // 1000 equal steps, over several blocks
  Weights weights;
  weights.assign(candidates_of(logits), 0.25f);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(weights.pick((static_cast<double>(i) + 0.5) / 1000), i);
  }
  EXPECT_EQ(weights.pick(0), 0u);
  EXPECT_EQ(weights.pick(1 - 0x1.0p-53), 999u);
}

TEST(Weights, PickNeverTakesAWeightOfZero) {
  std::vector<float> logits(700, -1e30f);  // exp underflows to 0
  logits[300] = 5;
  logits[600] = 5;
  Weights weights;
  weights.assign(candidates_of(logits), 5);
  EXPECT_EQ(weights.total(), 2);
  EXPECT_EQ(weights.pick(0), 300u);
  EXPECT_EQ(weights.pick(0.5 - 0x1.0p-54), 300u);
  EXPECT_EQ(weights.pick(0.5), 600u);
  EXPECT_EQ(weights.pick(1 - 0x1.0p-53), 600u);
}

TEST(Weights, PickTakesTheNextOneFromTheBorderOn) {
  Weights weights;
  weights.assign(candidates_of({-1e30f, 5, -1e30f, 5, -1e30f}), 5);
  EXPECT_EQ(weights.pick(0), 1u);
  EXPECT_EQ(weights.pick(0.5 - 0x1.0p-54), 1u);
  EXPECT_EQ(weights.pick(0.5), 3u);
  EXPECT_EQ(weights.pick(1 - 0x1.0p-53), 3u);
}

TEST(Weights, PickEndsForEveryTotal) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<float> logits = some_logits(1 + seed * 3, 20, seed);
    Weights weights;
    weights.assign(candidates_of(logits), *std::max_element(logits.begin(), logits.end()));
    EXPECT_LT(weights.pick(1 - 0x1.0p-53), logits.size());
    EXPECT_EQ(weights.pick(0), 0u);
  }
}

TEST(LogSumExp, HandlesWhatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NEAR(log_sum_exp(std::vector<float>{3, 2, 1, 0}),
              std::log(std::exp(3.) + std::exp(2.) + std::exp(1.) + 1), 1e-14);
  EXPECT_EQ(log_sum_exp(std::vector<float>{-inf, nan, 7}), 7);
  EXPECT_EQ(log_sum_exp(std::vector<float>{-inf, nan}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(log_sum_exp(std::vector<float>{inf, 3}), std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace kelda::sampling
