// Matmul: the scalar reference against the sums written out, and every fast kernel against the reference, bit
// for bit.
#include "kernels/scalar/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/cpu.h"
#include "kernels/scalar/quantize.h"
#include "tests/kernels/matmul_cases.h"

namespace kelda {
namespace {

using kernels::MatmulKernel;
using quant::FormatSpec;
using quant::PackedMatrix;
using testing::normal_floats;
using testing::packed;
using testing::quantized_rows;
using testing::RowStorage;
using testing::run_matmul;
using testing::same_bits;

// The exact product, in double, of the dequantised weights and x.
std::vector<double> exact(const PackedMatrix& w, const std::vector<float>& x, int64_t n) {
  std::vector<double> y(static_cast<size_t>(n * w.rows()));
  std::vector<float> row(static_cast<size_t>(w.cols()));
  for (int64_t r = 0; r < w.rows(); ++r) {
    w.unpack_row(r, row.data());
    for (int64_t t = 0; t < n; ++t) {
      double sum = 0;
      for (int64_t k = 0; k < w.cols(); ++k) {
        sum += static_cast<double>(row[static_cast<size_t>(k)]) * x[static_cast<size_t>(t * w.cols() + k)];
      }
      y[static_cast<size_t>(t * w.rows() + r)] = sum;
    }
  }
  return y;
}

RowStorage quantized_input(const std::vector<float>& x, int64_t n, int64_t cols) {
  RowStorage storage(n, cols);
  for (int64_t t = 0; t < n; ++t) kernels::scalar::quantize_row(x.data() + t * cols, storage.rows, t);
  return storage;
}

TEST(ScalarMatmul, IsNearTheExactProductInEveryFormat) {
  const int64_t rows = 19, cols = 96, n = 3;
  const std::vector<float> values = normal_floats(rows * cols, 1), x = normal_floats(n * cols, 2);
  const RowStorage input = quantized_input(x, n, cols);
  for (const FormatSpec* format : quant::formats()) {
    if (cols % format->block_size != 0) continue;
    const PackedMatrix w = packed(*format, quantized_rows(*format, values, rows, cols), rows, cols);
    const std::vector<float> y = run_matmul(kernels::scalar::matmul, w, input.rows, x, 0, n);
    const std::vector<double> want = exact(w, x, n);
    // 96 terms of unit variance; int8 activations are off by at most max|x| / 254 ≈ 0.014 each.
    const double tolerance = format->quantized ? 0.4 : 1e-4;
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], want[i], tolerance) << format->name << " " << i;
  }
}

TEST(ScalarMatmul, FollowsTheContractTermByTerm) {
  // One row, two blocks, one outlier: written out with the numbers of the q4_1 blocks.
  const FormatSpec& format = *quant::find_format("q4_1");
  const std::vector<float> values = normal_floats(64, 3);
  const PackedMatrix w = packed(format, quantized_rows(format, values, 1, 64), 1, 64);
  std::vector<float> x = normal_floats(64, 4, 0.01f);
  x[40] = 3;
  const RowStorage in = quantized_input(x, 1, 64);
  ASSERT_EQ(in.n_outliers[0], 1);
  ASSERT_EQ(in.outlier_k[0], 40);
  float sum = 0;
  quant::DecodedBlock block;
  for (int kb = 0; kb < 2; ++kb) {
    format.decode(w.group(0), kb, 0, block);
    int dot = 0, q_sum = 0;
    for (int k = 0; k < 32; ++k) {
      dot += block.code[k] * in.q[static_cast<size_t>(kb * 32 + k)];
      q_sum += in.q[static_cast<size_t>(kb * 32 + k)];
    }
    const float scale = in.scale[static_cast<size_t>(kb)];
    sum = std::fma(static_cast<float>(dot), block.scale * scale, sum);
    sum = std::fma(block.min, scale * static_cast<float>(q_sum), sum);
  }
  const float weight = block.scale * block.code[8];
  sum = std::fma(3.0f, weight + block.min, sum);
  EXPECT_TRUE(same_bits(run_matmul(kernels::scalar::matmul, w, in.rows, x, 0, 1), {sum}));
}

// Loops over every fast kernel of this machine.
class FastMatmul : public ::testing::TestWithParam<const MatmulKernel*> {
 protected:
  void SetUp() override {
    format_ = quant::find_format(GetParam()->format);
    ASSERT_NE(format_, nullptr) << "a kernel for " << GetParam()->format << ", which is no format";
  }

  void expect_equal(const PackedMatrix& w, const std::vector<float>& x, int64_t n) {
    const RowStorage in = quantized_input(x, n, w.cols());
    for (int64_t first : {int64_t{0}, n / 2}) {
      const std::vector<float> want = run_matmul(kernels::scalar::matmul, w, in.rows, x, first, n - first);
      const std::vector<float> got = run_matmul(GetParam()->run, w, in.rows, x, first, n - first);
      EXPECT_TRUE(same_bits(got, want))
          << w.rows() << " x " << w.cols() << ", tokens " << first << " to " << n;
    }
  }
  PackedMatrix matrix(const std::vector<float>& values, int64_t rows, int64_t cols) {
    return packed(*format_, quantized_rows(*format_, values, rows, cols), rows, cols);
  }

  const FormatSpec* format_ = nullptr;
};

TEST_P(FastMatmul, EqualsTheReferenceOnEveryShape) {
  uint32_t seed = 10;
  for (int64_t rows : {1, 7, 16, 17, 33, 80, 112}) {
    for (int64_t cols : {32, 64, 96, 160, 576}) {
      for (int64_t n : {1, 2, 3, 4, 5, 9}) {
        if (cols % format_->block_size != 0) continue;
        expect_equal(matrix(normal_floats(rows * cols, seed), rows, cols), normal_floats(n * cols, seed + 1),
                     n);
        seed += 2;
      }
    }
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnOddColumnCounts) {
  for (int64_t cols = 1; cols <= 67; ++cols) {
    if (cols % format_->block_size != 0) continue;
    expect_equal(matrix(normal_floats(18 * cols, 7), 18, cols), normal_floats(6 * cols, 8), 6);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceWithAnOutlierAtEveryColumn) {
  const int64_t cols = 96, n = 96;
  if (cols % format_->block_size != 0) GTEST_SKIP() << "96 columns are not whole blocks";
  std::vector<float> x = normal_floats(n * cols, 20);
  for (int64_t t = 0; t < n; ++t) x[static_cast<size_t>(t * cols + t)] = t % 2 ? 300.0f : -70.0f;
  const RowStorage in = quantized_input(x, n, cols);
  for (int32_t count : in.n_outliers) ASSERT_EQ(count, 1);
  expect_equal(matrix(normal_floats(20 * cols, 21), 20, cols), x, n);
}

TEST_P(FastMatmul, EqualsTheReferenceOnExtremeCodes) {
  // Every byte of the codes 0x00, 0x7F, 0x80, 0xFF …, all activations ±127 codes: sums at the ends of their
  // ranges.
  const int64_t rows = 16, cols = 128, n = 5;
  if (cols % format_->block_size != 0) GTEST_SKIP() << "128 columns are not whole blocks";
  const int64_t bytes = quant::row_bytes(*format_, cols);
  for (int fill : {0x00, 0x7F, 0x80, 0x81, 0xFF, 0x0F, 0xF0, 0x88}) {
    std::vector<std::byte> row_form = quantized_rows(*format_, normal_floats(rows * cols, 30), rows, cols);
    if (format_->quantized) {
      // A quantised block keeps its own scales, at its start or its end, if its code bytes alone are
      // replaced; these are all but at most 4 bytes at the start.
      for (int64_t b = 0; b < rows * bytes; b += format_->block_bytes) {
        for (int64_t i = 4; i < format_->block_bytes; ++i)
          row_form[static_cast<size_t>(b + i)] = std::byte(fill);
      }
    }
    const PackedMatrix w = packed(*format_, row_form, rows, cols);
    std::vector<float> x(static_cast<size_t>(n * cols));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = (i / static_cast<size_t>(cols)) % 2 || (i % 3 == 0) ? -1.0f : 1.0f;
    expect_equal(w, x, n);
    expect_equal(w, std::vector<float>(static_cast<size_t>(n * cols), 1.0f), n);
    expect_equal(w, std::vector<float>(static_cast<size_t>(n * cols), -1.0f), n);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnRandomBytes) {
  // Hostile files: scales may be denormal, zero, negative, infinite or NaN. Nothing may crash.
  const int64_t rows = 21, cols = 224, n = 6;
  if (cols % format_->block_size != 0) GTEST_SKIP() << "224 columns are not whole blocks";
  std::mt19937 random(40);
  std::vector<std::byte> row_form(static_cast<size_t>(rows * quant::row_bytes(*format_, cols)));
  for (int round = 0; round < 20; ++round) {
    for (std::byte& b : row_form) b = std::byte(random() & 0xFF);
    expect_equal(packed(*format_, row_form, rows, cols), normal_floats(n * cols, 41), n);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnTinyHugeAndUndefinedInputs) {
  const int64_t rows = 18, cols = 64;
  if (cols % format_->block_size != 0) GTEST_SKIP() << "64 columns are not whole blocks";
  for (float w_size : {0.0f, 1e-40f, 1e-6f, 1.0f, 1e4f}) {
    const PackedMatrix w = matrix(normal_floats(rows * cols, 50, w_size), rows, cols);
    for (float x_size : {0.0f, 1e-44f, 1e-38f, 1e-31f, 1e-30f, 1e-20f, 1e20f, 1e38f}) {
      expect_equal(w, normal_floats(4 * cols, 51, x_size), 4);
    }
    std::vector<float> x = normal_floats(4 * cols, 52);
    x[5] = std::numeric_limits<float>::infinity();
    x[64 + 40] = std::numeric_limits<float>::quiet_NaN();
    x[128 + 3] = -std::numeric_limits<float>::infinity();
    x[128 + 4] = std::numeric_limits<float>::infinity();
    expect_equal(w, x, 4);
  }
}

std::vector<const MatmulKernel*> fast_kernels() {
  if (!available(Isa::kAvx2)) return {};
  const auto all = kernels::avx2::matmul_kernels();
  return {all.begin(), all.end()};
}

INSTANTIATE_TEST_SUITE_P(Avx2, FastMatmul, ::testing::ValuesIn(fast_kernels()),
                         [](const auto& test) { return std::string(test.param->format); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FastMatmul);

}  // namespace
}  // namespace kelda
