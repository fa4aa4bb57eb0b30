#include "ops/experts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kelda::ops {
namespace {

std::vector<float> random_numbers(int64_t n, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& e : x) e = normal(rng);
  return x;
}

ExpertChoices choose(const std::vector<float>& logits, int64_t n_experts, int64_t n_used, bool normalise,
                     int threads = 1) {
  ThreadPool pool(threads);
  Exec exec{pool, kernels::scalar_table()};
  ExpertChoices c;
  const auto rows = static_cast<int64_t>(logits.size()) / n_experts;
  choose_experts(exec, Matrix<const float>(logits.data(), rows, n_experts), n_used, normalise, c);
  return c;
}

TEST(ChooseExperts, TakesTheLargestWeightedBySoftmax) {
  const std::vector<float> logits = {0.0f, 3.0f, 1.0f, 2.0f};  // softmax: .0321 .6439 .0871 .2369
  const ExpertChoices over_all = choose(logits, 4, 2, false);
  EXPECT_EQ(over_all.expert, (std::vector<int32_t>{1, 3}));
  EXPECT_NEAR(over_all.weight[0], 0.64391, 1e-5);
  EXPECT_NEAR(over_all.weight[1], 0.23688, 1e-5);
  const ExpertChoices normalised = choose(logits, 4, 2, true);
  EXPECT_NEAR(normalised.weight[0], 0.73106, 1e-5);
  EXPECT_NEAR(normalised.weight[1], 0.26894, 1e-5);
}

TEST(ChooseExperts, TheLowerOneAmongEqualsAndNeverOneTwice) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(choose({1, 1, 1, 1}, 4, 2, true).expert, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(choose({nan, 1, nan, -inf}, 4, 2, true).expert, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(choose({nan, nan, nan, nan}, 4, 3, true).expert, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(choose({-inf, 5, -inf, 5}, 4, 4, true).expert, (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST(ChooseExperts, GivesEveryChoiceARowOfItsExpert) {
  const auto logits = random_numbers(50 * 7, 1);
  const ExpertChoices c = choose(logits, 7, 3, true, 3);
  std::vector<int> seen(150, 0);
  for (std::size_t i = 0; i < 150; ++i) {
    const auto e = static_cast<std::size_t>(c.expert[i]);
    EXPECT_GE(c.row[i], c.first_row[e]);
    EXPECT_LT(c.row[i], c.first_row[e + 1]);
    ++seen[static_cast<std::size_t>(c.row[i])];
    if (i % 3 > 0) {
      EXPECT_LT(c.expert[i - 1], c.expert[i]);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(150, 1));
  EXPECT_EQ(c.first_row.front(), 0);
  EXPECT_EQ(c.first_row.back(), 150);
}

TEST(GatherAndCombine, GiveEachTokenItsWeightedSumWhateverTheThreads) {
  constexpr int64_t kTokens = 40, kCols = 70, kUsed = 2;
  const auto logits = random_numbers(kTokens * 5, 2), x = random_numbers(kTokens * kCols, 3);
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    ExpertChoices c;
    choose_experts(exec, Matrix<const float>(logits.data(), kTokens, 5), kUsed, true, c);
    std::vector<float> rows(kTokens * kUsed * kCols), out(kTokens * kCols);
    const Matrix<float> y(rows.data(), kTokens * kUsed, kCols);
    gather_rows(exec, c, Matrix<const float>(x.data(), kTokens, kCols), y);
    for (std::size_t i = 0; i < c.expert.size(); ++i) {  // expert e multiplies by e + 1
      for (float& v : y.row_span(c.row[i])) v *= static_cast<float>(c.expert[i] + 1);
    }
    combine_rows(exec, c, y, Matrix<float>(out.data(), kTokens, kCols));
    for (std::size_t t = 0; t < kTokens; ++t) {
      for (std::size_t d = 0; d < kCols; ++d) {
        float expected = 0;
        for (std::size_t i = t * kUsed; i < (t + 1) * kUsed; ++i) {
          const float factor = static_cast<float>(c.expert[i] + 1);
          expected = std::fma(c.weight[i], x[t * kCols + d] * factor, expected);
        }
        ASSERT_EQ(out[t * kCols + d], expected) << t << " " << d << " on " << threads << " threads";
      }
    }
  }
}

// What a token gets does not depend on the others of its pass.
TEST(GatherAndCombine, ChooseTheSameAloneAndInCompany) {
  const auto logits = random_numbers(30 * 6, 4);
  const ExpertChoices all = choose(logits, 6, 2, false);
  for (std::size_t t = 0; t < 30; ++t) {
    const ExpertChoices one = choose({logits.begin() + static_cast<std::ptrdiff_t>(t * 6),
                                      logits.begin() + static_cast<std::ptrdiff_t>(t * 6 + 6)},
                                     6, 2, false);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(one.expert[i], all.expert[t * 2 + i]);
      EXPECT_EQ(one.weight[i], all.weight[t * 2 + i]);
    }
  }
}

TEST(AddGatedRows, AddsAsMuchAsEachRowsGateIsOpen) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto y = random_numbers(4 * 70, 6), before = random_numbers(4 * 70, 7);
  const std::vector<float> gate = {0.0f, -kInf, kInf, 1.5f};
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    std::vector<float> x = before;
    add_gated_rows(exec, Matrix<float>(x.data(), 4, 70), Matrix<const float>(y.data(), 4, 70),
                   Matrix<const float>(gate.data(), 4, 1));
    const float open[] = {0.5f, 0.0f, 1.0f, static_cast<float>(1 / (1 + std::exp(-1.5)))};
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(x[i], before[i] + open[i / 70] * y[i], 1e-6) << i << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace kelda::ops
