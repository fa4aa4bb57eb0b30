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

TEST(RmsNorm, OfHeadsTakesEachHeadForItself) {
  constexpr int64_t kRows = 90, kHeads = 3, kDim = 32, kStride = 100;
  std::mt19937 rng(2);
  std::normal_distribution<float> normal;
  std::vector<float> x(kRows * kStride), w(kDim);
  for (float& e : x) e = normal(rng);
  for (float& e : w) e = normal(rng);
  auto expected = x;
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t h = 0; h < kHeads; ++h) {
      float* head = expected.data() + r * kStride + h * kDim;
      kernels::scalar_table().rms_norm(head, w.data(), 1e-5f, kDim, head);
    }
  }
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    auto y = x;
    rms_norm_heads(exec, Matrix<float>(y.data(), kRows, kHeads * kDim, kStride), w, 1e-5f);
    EXPECT_EQ(y, expected) << threads << " threads";
  }
}

TEST(LayerNorm, NormalisesEachRowWhateverTheThreads) {
  constexpr int64_t kRows = 150, kCols = 96;
  std::mt19937 rng(3);
  std::normal_distribution<float> normal(1.0f, 2.0f);
  std::vector<float> x(kRows * kCols), w(kCols), b(kCols), expected(x.size());
  for (auto* v : {&x, &w, &b}) {
    for (float& e : *v) e = normal(rng);
  }
  for (int64_t r = 0; r < kRows; ++r) {
    kernels::scalar_table().layer_norm(x.data() + r * kCols, w.data(), b.data(), 1e-5f, kCols,
                                       expected.data() + r * kCols);
  }
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    auto y = x;  // in place
    const Matrix<float> m(y.data(), kRows, kCols);
    layer_norm(exec, m, w, b, 1e-5f, m);
    EXPECT_EQ(y, expected) << threads << " threads";
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
