// Matmul: the scalar reference against the sums written out, and every fast kernel against the reference, bit
// for bit.
#include "kernels/scalar/matmul.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/cpu.h"
#include "kernels/scalar/quantize.h"
#include "tests/kernels/matmul_cases.h"
#include "tests/kernels/plain_lanes.h"

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
  const int64_t rows = 19, n = 3;
  for (const FormatSpec* format : quant::formats()) {
    const int64_t cols = std::max<int64_t>(96, format->block_size);
    const std::vector<float> values = normal_floats(rows * cols, 1), x = normal_floats(n * cols, 2);
    const RowStorage input = quantized_input(x, n, cols);
    const PackedMatrix w = packed(*format, quantized_rows(*format, values, rows, cols), rows, cols);
    const std::vector<float> y = run_matmul(kernels::scalar::matmul, w, input.rows, x, 0, n);
    const std::vector<double> want = exact(w, x, n);
    // 96 or 256 terms of unit variance; int8 activations are off by at most max|x| / 254 ≈ 0.014 each, evenly
    // spread: the deviation of a sum is about 0.005 · √cols.
    const double tolerance = format->quantized ? 0.04 * std::sqrt(static_cast<double>(cols)) : 1e-4;
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
    sum = std::fma(block.min[0], scale * static_cast<float>(q_sum), sum);
  }
  const float weight = block.scale * block.code[8];
  sum = std::fma(3.0f, weight + block.min[0], sum);
  EXPECT_TRUE(same_bits(run_matmul(kernels::scalar::matmul, w, in.rows, x, 0, 1), {sum}));
}

TEST(ScalarMatmul, FollowsTheContractTermByTermWithFactorsAndMinimaOfHalves) {
  // One row, eight blocks, one outlier in the second half of a block: the numbers of the q2_k block.
  const FormatSpec& format = *quant::find_format("q2_k");
  const PackedMatrix w = packed(format, quantized_rows(format, normal_floats(256, 3), 1, 256), 1, 256);
  std::vector<float> x = normal_floats(256, 4, 0.01f);
  x[60] = -3;
  const RowStorage in = quantized_input(x, 1, 256);
  ASSERT_EQ(in.n_outliers[0], 1);
  float sum = 0, outlier = 0;
  quant::DecodedBlock block;
  for (int kb = 0; kb < 8; ++kb) {
    format.decode(w.group(0), kb, 0, block);
    int dot = 0, q_sum[2] = {};
    for (int k = 0; k < 32; ++k) {
      const int q = in.q[static_cast<size_t>(kb * 32 + k)];
      dot += block.factor[k / 16] * block.code[k] * q;
      q_sum[k / 16] += q;
    }
    const float scale = in.scale[static_cast<size_t>(kb)];
    sum = std::fma(static_cast<float>(dot), block.scale * scale, sum);
    sum = std::fma(block.min[0], scale * static_cast<float>(q_sum[0]), sum);
    sum = std::fma(block.min[1], scale * static_cast<float>(q_sum[1]), sum);
    if (kb == 1) outlier = block.scale * block.factor[1] * block.code[28] + block.min[1];
  }
  sum = std::fma(-3.0f, outlier, sum);
  EXPECT_TRUE(same_bits(run_matmul(kernels::scalar::matmul, w, in.rows, x, 0, 1), {sum}));
}

// Loops over every fast kernel of this machine, and over the templates that they are made of on plain arrays.
struct FastKernel {
  std::string_view isa;
  const MatmulKernel* kernel;
};
class FastMatmul : public ::testing::TestWithParam<FastKernel> {
 protected:
  void SetUp() override {
    format_ = quant::find_format(GetParam().kernel->format);
    ASSERT_NE(format_, nullptr) << "a kernel for " << GetParam().kernel->format << ", which is no format";
  }

  void expect_equal(const PackedMatrix& w, const std::vector<float>& x, int64_t n) {
    const RowStorage in = quantized_input(x, n, w.cols());
    for (int64_t first : {int64_t{0}, n / 2}) {
      const std::vector<float> want = run_matmul(kernels::scalar::matmul, w, in.rows, x, first, n - first);
      const std::vector<float> got = run_matmul(GetParam().kernel->run, w, in.rows, x, first, n - first);
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
  const int64_t unit = std::max(32, format_->block_size);
  for (int64_t rows : {1, 7, 16, 17, 33, 80, 112}) {
    for (int64_t units : {1, 2, 3, 5, 18}) {
      const int64_t cols = unit * units;
      if (rows * cols > 80 * 1024) continue;
      for (int64_t n : {1, 2, 3, 4, 5, 9}) {
        expect_equal(matrix(normal_floats(rows * cols, seed), rows, cols), normal_floats(n * cols, seed + 1),
                     n);
        seed += 2;
      }
    }
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnOddColumnCounts) {
  const int64_t step = format_->block_size;
  for (int64_t cols = step; cols <= std::max<int64_t>(67, 3 * step); cols += step) {
    expect_equal(matrix(normal_floats(18 * cols, 7), 18, cols), normal_floats(6 * cols, 8), 6);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceWithAnOutlierAtEveryColumn) {
  const int64_t cols = std::max<int64_t>(96, format_->block_size), n = cols;
  std::vector<float> x = normal_floats(n * cols, 20);
  for (int64_t t = 0; t < n; ++t) x[static_cast<size_t>(t * cols + t)] = t % 2 ? 300.0f : -170.0f;
  const RowStorage in = quantized_input(x, n, cols);
  for (int32_t count : in.n_outliers) ASSERT_EQ(count, 1);
  expect_equal(matrix(normal_floats(20 * cols, 21), 20, cols), x, n);
}

// An ordinary scale, ±2^-12 … 2^4, where a block of the format keeps one, so that most results are numbers.
void write_ordinary_scales(const FormatSpec& format, std::byte* block, std::mt19937& random) {
  const auto put = [&](int at) {
    const auto half = static_cast<uint16_t>((random() & 0x83FFu) | (3 + random() % 17) << 10);
    std::memcpy(block + at, &half, sizeof half);
  };
  const std::string name(format.name);
  if (name == "mxfp4") {
    block[0] = std::byte(110 + random() % 30);
  } else if (name == "q2_k") {
    put(80), put(82);
  } else if (name == "q3_k" || name == "q6_k") {
    put(format.block_bytes - 2);
  } else {
    put(0);
    if (format.n_mins > 0) put(2);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnExtremeCodes) {
  // Every byte of the codes and factors 0x00, 0x7F, 0x80, 0xFF …, all activations ±127 codes: sums at the
  // ends of their ranges.
  const int64_t rows = 16, cols = std::max<int64_t>(128, format_->block_size), n = 5;
  const int64_t bytes = quant::row_bytes(*format_, cols);
  std::mt19937 random(30);
  for (int fill : {0x00, 0x7F, 0x80, 0x81, 0xFF, 0x0F, 0xF0, 0x88}) {
    std::vector<std::byte> row_form = quantized_rows(*format_, normal_floats(rows * cols, 30), rows, cols);
    if (format_->quantized) {
      std::fill(row_form.begin(), row_form.end(), std::byte(fill));
      for (int64_t b = 0; b < rows * bytes; b += format_->block_bytes) {
        write_ordinary_scales(*format_, row_form.data() + b, random);
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
  // Hostile files: scales may be denormal, zero, negative, infinite or NaN. Nothing may crash. In every other
  // round the scales are ordinary, so that codes and factors of every kind show. 21 x 7 (or 5) blocks a
  // round.
  const int64_t rows = 21, n = 6, cols = format_->block_size == 256 ? 5 * 256 : 224;
  const int rounds = std::getenv("KELDA_TEST_LONG") == nullptr ? 20 : 8000;
  std::mt19937 random(40);
  std::vector<std::byte> row_form(static_cast<size_t>(rows * quant::row_bytes(*format_, cols)));
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    for (std::byte& b : row_form) b = std::byte(random() & 0xFF);
    for (size_t b = 0; format_->quantized && round % 2 == 1 && b < row_form.size();
         b += static_cast<size_t>(format_->block_bytes)) {
      write_ordinary_scales(*format_, row_form.data() + b, random);
    }
    const std::vector<float> x = normal_floats(n * cols, static_cast<uint32_t>(41 + round));
    expect_equal(packed(*format_, row_form, rows, cols), x, n);
  }
}

TEST_P(FastMatmul, EqualsTheReferenceOnTinyHugeAndUndefinedInputs) {
  const int64_t rows = 18, cols = std::max<int64_t>(64, format_->block_size);
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

TEST(FastMatmuls, AreThereForEveryFormat) {
  for (const FormatSpec* format : quant::formats()) {
    for (const auto kernels : {kernels::avx2::matmul_kernels(), kernels::avx512::matmul_kernels()}) {
      bool found = false;
      for (const MatmulKernel* kernel : kernels) found |= kernel->format == format->name;
      EXPECT_TRUE(found) << format->name;
    }
  }
}

std::vector<FastKernel> fast_kernels() {
  std::vector<FastKernel> all;
  for (const MatmulKernel* kernel : kernels::test::matmul_kernels()) all.push_back({"plain", kernel});
  if (available(Isa::kAvx2)) {
    for (const MatmulKernel* kernel : kernels::avx2::matmul_kernels()) all.push_back({"avx2", kernel});
  }
  if (available(Isa::kAvx512)) {
    for (const MatmulKernel* kernel : kernels::avx512::matmul_kernels()) all.push_back({"avx512", kernel});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, FastMatmul, ::testing::ValuesIn(fast_kernels()), [](const auto& test) {
  return fmt::format("{}_{}", test.param.isa, test.param.kernel->format);
});

}  // namespace
}  // namespace kelda
