#include "ops/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace kelda::ops {
namespace {

TEST(RopeTable, HoldsTheAnglesOfThePositions) {
  ThreadPool pool(2);
  Exec exec{pool, kernels::scalar_table()};
  for (const double theta : {10000.0, 500000.0, 100000.0}) {
    RopeTable table;
    std::vector<int32_t> positions;
    for (int32_t p = 0; p < 300; ++p) positions.push_back(p * p + 7);
    table.fill(exec, rope_frequencies(64, theta), positions);
    ASSERT_EQ(table.n_rows(), 300);
    for (int64_t r = 0; r < 300; ++r) {
      for (int64_t i = 0; i < 32; ++i) {
        const long double angle =
            static_cast<long double>(positions[static_cast<std::size_t>(r)]) *
            std::pow(static_cast<long double>(theta), -2.0L * static_cast<long double>(i) / 64);
        EXPECT_NEAR(table.cos(r)[i], static_cast<double>(std::cos(angle)), 6e-8);
        EXPECT_NEAR(table.sin(r)[i], static_cast<double>(std::sin(angle)), 6e-8);
      }
    }
  }
}

TEST(RopeTable, PositionZeroTurnsNothing) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  RopeTable table;
  table.fill(exec, rope_frequencies(16, 10000.0), std::vector<int32_t>{0});
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(table.cos(0)[i], 1.0f);
    EXPECT_EQ(table.sin(0)[i], 0.0f);
  }
}

TEST(Rope, TurnsTheLeadingDimensionsOfEveryHeadWhateverTheThreads) {
  constexpr int64_t kRows = 90, kHeads = 5, kDim = 40, kRot = 32, kCols = kHeads * kDim;
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(kRows * kCols);
  for (float& e : x) e = normal(rng);
  std::vector<int32_t> positions(kRows);
  for (int32_t p = 0; p < kRows; ++p) positions[static_cast<std::size_t>(p)] = 3 * p;
  for (const bool interleaved : {false, true}) {
    ThreadPool one(1);
    Exec alone{one, kernels::scalar_table()};
    RopeTable table;
    table.fill(alone, rope_frequencies(kRot, 10000.0), positions);
    auto expected = x;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t h = 0; h < kHeads; ++h) {
        kernels::scalar_table().rope(expected.data() + r * kCols + h * kDim, table.cos(r), table.sin(r), kRot,
                                     interleaved);
      }
    }
    for (const int threads : {1, 2, 4}) {
      ThreadPool pool(threads);
      Exec exec{pool, kernels::scalar_table()};
      RopeTable same;
      same.fill(exec, rope_frequencies(kRot, 10000.0), positions);
      auto y = x;
      rope(exec, same, Matrix<float>(y.data(), kRows, kCols), kHeads, kDim, kRot, interleaved);
      EXPECT_EQ(y, expected) << threads << " threads";
    }
    EXPECT_EQ(expected[kRot], x[kRot]);  // behind the rotated part
  }
}

// The product of a rotated query and key depends on their distance only.
TEST(Rope, ScoresDependOnDistanceOnly) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  RopeTable table;
  const std::vector<int32_t> positions = {5, 12, 1005, 1012};
  table.fill(exec, rope_frequencies(16, 10000.0), positions);
  std::vector<float> x(4 * 16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<float>(i % 32));
  rope(exec, table, Matrix<float>(x.data(), 4, 16), 1, 16, 16, true);
  const auto dot = [&](std::size_t a, std::size_t b) {
    double s = 0;
    for (std::size_t i = 0; i < 16; ++i) s += double{x[a * 16 + i]} * x[b * 16 + i];
    return s;
  };
  EXPECT_NEAR(dot(0, 1), dot(2, 3), 1e-5);
}

}  // namespace
}  // namespace kelda::ops
