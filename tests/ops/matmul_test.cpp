// Threaded matrix products: the same bits as one scalar call over everything, however the work is cut.
#include "ops/matmul.h"

#include <gtest/gtest.h>

#include "base/cpu.h"
#include "kernels/scalar/matmul.h"
#include "tests/kernels/matmul_cases.h"

namespace kelda {
namespace {

using testing::normal_floats;
using testing::packed;
using testing::quantized_rows;
using testing::same_bits;

const kernels::KernelTable& fast_table() { return kernels::table_of(choose_isa()); }

quant::PackedMatrix matrix(const char* format, int64_t rows, int64_t cols, uint32_t seed) {
  const quant::FormatSpec& spec = *quant::find_format(format);
  return packed(spec, quantized_rows(spec, normal_floats(rows * cols, seed), rows, cols), rows, cols);
}

// One scalar call with everything in it.
std::vector<float> reference(const quant::PackedMatrix& w, const ops::Activations& x) {
  std::vector<float> y(static_cast<size_t>(x.floats().rows * w.rows()));
  kernels::scalar::matmul({.format = &w.format(),
                           .w = w.group(0),
                           .group_bytes = w.group_bytes(),
                           .n_groups = w.n_groups(),
                           .n_rows = w.rows(),
                           .cols = w.cols(),
                           .first_token = 0,
                           .n_tokens = x.floats().rows,
                           .x = &x.rows(),
                           .x_f32 = x.floats().data,
                           .x_stride = x.floats().row_stride,
                           .y = y.data(),
                           .y_stride = w.rows()});
  return y;
}

TEST(Matmul, EqualsOneScalarCallForEveryNumberOfThreadsAndTokens) {
  for (const char* format : {"q4_0", "q4_1", "q8_0", "f16", "f32"}) {
    const quant::PackedMatrix w = matrix(format, 301, 192, 1);
    for (int n_threads : {1, 2, 3}) {
      ThreadPool pool(n_threads);
      Exec exec{pool, fast_table()};
      for (int64_t n : {1, 2, 5, 131, 260}) {
        const std::vector<float> x = normal_floats(n * 192, 2);
        ops::Activations input;
        input.set(exec, {x.data(), n, 192}, w.format().quantized);
        std::vector<float> y(static_cast<size_t>(n * 301));
        ops::matmul(exec, w, input, {y.data(), n, 301});
        EXPECT_TRUE(same_bits(y, reference(w, input)))
            << format << ", " << n_threads << " threads, " << n << " tokens";
      }
    }
  }
}

TEST(Matmul, CutsLongInputsIntoBlocksOfTokens) {
  ThreadPool pool(2);
  Exec exec{pool, fast_table()};
  const int64_t cols = 8960, n = 70;  // more activations than a block of tokens holds
  const quant::PackedMatrix w = matrix("q4_0", 48, cols, 3);
  const std::vector<float> x = normal_floats(n * cols, 4);
  ops::Activations input;
  input.set(exec, {x.data(), n, cols}, true);
  std::vector<float> y(static_cast<size_t>(n * 48));
  ops::matmul(exec, w, input, {y.data(), n, 48});
  EXPECT_TRUE(same_bits(y, reference(w, input)));
}

TEST(Matmul, ComputesSeveralMatricesOfDifferentFormatsTogether) {
  ThreadPool pool(2);
  Exec exec{pool, fast_table()};
  const int64_t cols = 128, n = 3;
  const quant::PackedMatrix q = matrix("q4_1", 144, cols, 5), k = matrix("q8_0", 48, cols, 6),
                            v = matrix("f16", 17, cols, 7);
  const std::vector<float> x = normal_floats(n * cols, 8);
  ops::Activations input;
  input.set(exec, {x.data(), n, cols}, true);
  std::vector<float> y_q(static_cast<size_t>(n * 144)), y_k(static_cast<size_t>(n * 48)),
      y_v(static_cast<size_t>(n * 17));
  const ops::MatmulItem items[] = {
      {&q, {y_q.data(), n, 144}}, {&k, {y_k.data(), n, 48}}, {&v, {y_v.data(), n, 17}}};
  ops::matmul_many(exec, items, input);
  EXPECT_TRUE(same_bits(y_q, reference(q, input)));
  EXPECT_TRUE(same_bits(y_k, reference(k, input)));
  EXPECT_TRUE(same_bits(y_v, reference(v, input)));
}

TEST(Matmul, ReadsAndWritesRowsWithStrides) {
  ThreadPool pool(2);
  Exec exec{pool, fast_table()};
  const int64_t cols = 64, n = 4;
  const quant::PackedMatrix w = matrix("f32", 20, cols, 9);
  const std::vector<float> x = normal_floats(n * 100, 10);
  ops::Activations input;
  input.set(exec, Matrix<const float>(x.data(), n, cols, 100), false);
  std::vector<float> y(static_cast<size_t>(n * 30), -5.0f);
  ops::matmul(exec, w, input, {y.data(), n, 20, 30});
  const std::vector<float> want = reference(w, input);
  for (int64_t t = 0; t < n; ++t) {
    for (int64_t r = 0; r < 30; ++r) {
      const float expected = r < 20 ? want[static_cast<size_t>(t * 20 + r)] : -5.0f;
      EXPECT_EQ(y[static_cast<size_t>(t * 30 + r)], expected) << t << " " << r;
    }
  }
}

TEST(Matmul, DoesNothingWithoutTokens) {
  ThreadPool pool(2);
  Exec exec{pool, fast_table()};
  const quant::PackedMatrix w = matrix("q4_0", 16, 32, 11);
  ops::Activations input;
  input.set(exec, {nullptr, 0, 32}, true);
  ops::matmul(exec, w, input, {nullptr, 0, 16});
}

TEST(MatmulDeathTest, StopsOnShapesThatDoNotMatch) {
  ThreadPool pool(1);
  Exec exec{pool, fast_table()};
  const quant::PackedMatrix w = matrix("q4_0", 16, 64, 12);
  const std::vector<float> x = normal_floats(64, 13);
  std::vector<float> y(16);
  ops::Activations input;
  input.set(exec, {x.data(), 1, 64}, false);
  EXPECT_DEATH(ops::matmul(exec, w, input, {y.data(), 1, 16}), "quantized");
  input.set(exec, {x.data(), 1, 32}, true);
  EXPECT_DEATH(ops::matmul(exec, w, input, {y.data(), 1, 16}), "cols");
}

}  // namespace
}  // namespace kelda
