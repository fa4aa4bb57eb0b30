// Quantised activations: every row as the kernel makes it, for every number of threads.
#include "ops/activations.h"

#include <gtest/gtest.h>

#include "kernels/scalar/quantize.h"
#include "tests/kernels/matmul_cases.h"

namespace kelda {
namespace {

TEST(Activations, QuantiseEveryRowForEveryNumberOfThreads) {
  const int64_t n = 37, cols = 320;
  const std::vector<float> x = testing::normal_floats(n * cols, 1);
  testing::RowStorage want(n, cols);
  for (int64_t t = 0; t < n; ++t) kernels::scalar::quantize_row(x.data() + t * cols, want.rows, t);
  for (int n_threads : {1, 2, 3}) {
    ThreadPool pool(n_threads);
    Exec exec{pool, kernels::scalar_table()};
    ops::Activations input;
    input.set(exec, {x.data(), n, cols}, true);
    ASSERT_EQ(input.rows().stride, want.rows.stride);
    EXPECT_EQ(std::vector<int8_t>(input.rows().q, input.rows().q + want.q.size()), want.q);
    EXPECT_EQ(std::vector<float>(input.rows().scale, input.rows().scale + want.scale.size()), want.scale);
    EXPECT_EQ(std::vector<int32_t>(input.rows().sum, input.rows().sum + want.sum.size()), want.sum);
  }
}

TEST(Activations, KeepTheirMemoryFromInputToInput) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  ops::Activations input;
  input.reserve(4, 256);
  const uint64_t bytes = input.bytes();
  const std::vector<float> x = testing::normal_floats(4 * 256, 14);
  input.set(exec, {x.data(), 4, 256}, true);
  const int8_t* q = input.rows().q;
  input.set(exec, {x.data(), 2, 64}, true);
  EXPECT_EQ(input.bytes(), bytes);
  EXPECT_EQ(input.rows().q, q);
  EXPECT_EQ(input.rows().cols, 64);
  EXPECT_FALSE((input.set(exec, {x.data(), 2, 64}, false), input.quantized()));
}

}  // namespace
}  // namespace kelda
