#include "ops/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace kelda::ops {
namespace {

constexpr int64_t kCols = 150;  // two full steps of columns and a part

std::vector<float> random_rows(int64_t rows) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(rows * kCols));
  for (float& e : x) e = normal(rng);
  return x;
}

// Runs of 1, 7 and 90 rows, with rows of nobody between.
std::vector<BatchRun> some_runs() { return {{nullptr, 0, 1, 0}, {nullptr, 2, 7, 0}, {nullptr, 10, 90, 0}}; }

TEST(MeanRows, IsTheMeanOfEachRunWhateverTheThreads) {
  const auto x = random_rows(100);
  const auto runs = some_runs();
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    std::vector<float> out(static_cast<std::size_t>(3 * kCols), 9.0f);
    mean_rows(exec, {x.data(), 100, kCols}, runs, {out.data(), 3, kCols});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (int64_t c = 0; c < kCols; ++c) {
        double sum = 0;
        for (int64_t r = 0; r < runs[i].n_tokens; ++r)
          sum += double{x[static_cast<std::size_t>((runs[i].first_row + r) * kCols + c)]};
        EXPECT_EQ(out[i * kCols + static_cast<std::size_t>(c)],
                  static_cast<float>(sum / static_cast<double>(runs[i].n_tokens)));
      }
    }
  }
}

TEST(FirstRows, AreCopied) {
  const auto x = random_rows(100);
  ThreadPool pool(2);
  Exec exec{pool, kernels::scalar_table()};
  std::vector<float> out(static_cast<std::size_t>(3 * kCols));
  first_rows(exec, {x.data(), 100, kCols}, some_runs(), {out.data(), 3, kCols});
  for (int64_t c = 0; c < kCols; ++c) {
    EXPECT_EQ(out[static_cast<std::size_t>(kCols + c)], x[static_cast<std::size_t>(2 * kCols + c)]);
    EXPECT_EQ(out[static_cast<std::size_t>(2 * kCols + c)], x[static_cast<std::size_t>(10 * kCols + c)]);
  }
}

TEST(NormalizeRows, GivesLengthOneAndKeepsTheDirection) {
  ThreadPool pool(3);
  Exec exec{pool, kernels::scalar_table()};
  auto x = random_rows(40);
  const auto before = x;
  normalize_rows(exec, {x.data(), 40, kCols});
  for (std::size_t r = 0; r < 40; ++r) {
    double squares = 0;
    for (std::size_t c = 0; c < kCols; ++c) squares += double{x[r * kCols + c]} * double{x[r * kCols + c]};
    EXPECT_NEAR(squares, 1, 1e-6);
    EXPECT_GT(x[r * kCols] * before[r * kCols], 0);
  }
}

TEST(NormalizeRows, LeavesZerosAndShowsWhatIsNoNumber) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  std::vector<float> x(static_cast<std::size_t>(2 * kCols), 0.0f);
  x[kCols] = std::numeric_limits<float>::quiet_NaN();
  normalize_rows(exec, {x.data(), 2, kCols});
  EXPECT_EQ(x[0], 0.0f);
  for (std::size_t c = 0; c < kCols; ++c) EXPECT_TRUE(std::isnan(x[kCols + c]));
}

TEST(PoolingDeathTest, ARunWithoutRowsIsABug) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  const auto x = random_rows(2);
  std::vector<float> out(kCols);
  const std::vector<BatchRun> none = {{nullptr, 0, 0, 0}}, beyond = {{nullptr, 1, 2, 0}};
  EXPECT_DEATH(mean_rows(exec, {x.data(), 2, kCols}, none, {out.data(), 1, kCols}), "run.n_tokens > 0");
  EXPECT_DEATH(first_rows(exec, {x.data(), 2, kCols}, beyond, {out.data(), 1, kCols}), "x.rows");
}

}  // namespace
}  // namespace kelda::ops
