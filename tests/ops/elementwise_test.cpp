#include "ops/elementwise.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace kelda::ops {
namespace {

std::vector<float> random_numbers(int64_t n, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& e : x) e = normal(rng);
  return x;
}

struct Size {
  int64_t rows, cols, stride;
};
class Elementwise : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Elementwise,
                         testing::Values(Size{1, 1, 1}, Size{1, 20000, 20000}, Size{3, 513, 600},
                                         Size{70, 1536, 1536}, Size{0, 8, 8}));

TEST_P(Elementwise, AddAndSiluCoverEveryElementWhateverTheThreads) {
  const auto [rows, cols, stride] = GetParam();
  const auto a = random_numbers(rows * stride, 1), b = random_numbers(rows * stride, 2);
  auto sum = a, product = std::vector<float>(a.size(), 9.0f);
  for (int64_t r = 0; r < rows; ++r) {
    kernels::scalar_table().add(sum.data() + r * stride, b.data() + r * stride, cols);
    kernels::scalar_table().silu_mul(a.data() + r * stride, b.data() + r * stride, cols,
                                     product.data() + r * stride);
  }
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, kernels::scalar_table()};
    auto x = a, y = std::vector<float>(a.size(), 9.0f);
    const Matrix<const float> m(a.data(), rows, cols, stride), n(b.data(), rows, cols, stride);
    add(exec, Matrix<float>(x.data(), rows, cols, stride), n);
    silu_mul(exec, m, n, Matrix<float>(y.data(), rows, cols, stride));
    EXPECT_EQ(x, sum) << threads << " threads";
    EXPECT_EQ(y, product) << threads << " threads";
  }
}

TEST_P(Elementwise, BiasScaleCapAndGeluCoverEveryElementWhateverTheThreads) {
  const auto [rows, cols, stride] = GetParam();
  const auto a = random_numbers(rows * stride, 3), b = random_numbers(rows * stride, 4);
  const auto bias = random_numbers(cols, 5);
  const auto& scalar = kernels::scalar_table();
  auto expected = a;
  for (int64_t r = 0; r < rows; ++r) {
    float* row = expected.data() + r * stride;
    scalar.add(row, bias.data(), cols);
    scalar.scale(row, 1.7f, cols);
    scalar.gelu_mul(row, b.data() + r * stride, cols, row);
    scalar.softcap(row, 2.0f, cols);
    scalar.gelu(row, cols);
    scalar.gelu_exact(row, cols);
  }
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    Exec exec{pool, scalar};
    auto x = a;
    const Matrix<float> m(x.data(), rows, cols, stride);
    add_bias(exec, m, bias);
    scale(exec, m, 1.7f);
    gelu_mul(exec, m, Matrix<const float>(b.data(), rows, cols, stride), m);
    softcap(exec, m, 2.0f);
    gelu(exec, m);
    gelu_exact(exec, m);
    EXPECT_EQ(x, expected) << threads << " threads";
  }
}

TEST(ElementwiseDeathTest, DifferentShapesAreABug) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  std::vector<float> x(8);
  EXPECT_DEATH(add(exec, Matrix<float>(x.data(), 2, 4), Matrix<const float>(x.data(), 2, 3)),
               "x.cols == y.cols");
}

}  // namespace
}  // namespace kelda::ops
