#include "ops/norm.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace kelda::ops {
namespace {

TEST(RmsNorm, NormalisesEachRowWhateverTheThreads) {
  constexpr int64_t kRows = 200, kCols = 96, kStride = 100;
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(kRows * kStride), w(kCols);
  for (float& e : x) e = normal(rng);
  for (float& e : w) e = normal(rng);
  std::vector<float> expected(kRows * kCols);
  for (int64_t r = 0; r < kRows; ++r) {
    kernels::scalar_table().rms_norm(x.data() + r * kStride, w.data(), 1e-5f, kCols,
                                     expected.data() + r * kCols);
  }
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    std::vector<float> y(kRows * kCols);
    rms_norm(exec, Matrix<const float>(x.data(), kRows, kCols, kStride), w, 1e-5f,
             Matrix<float>(y.data(), kRows, kCols));
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0) << threads << " threads";
  }
}

TEST(RmsNormDeathTest, WrongWidthIsABug) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  std::vector<float> x(8), w(3);
  EXPECT_DEATH(rms_norm(exec, Matrix<const float>(x.data(), 2, 4), w, 1e-5f, Matrix<float>(x.data(), 2, 4)),
               "w.size");
}

}  // namespace
}  // namespace kelda::ops
