// Quantisation of activations: what the reference promises, and the fast kernel against it, bit for bit.
#include "kernels/avx2/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/cpu.h"
#include "kernels/scalar/quantize.h"
#include "tests/kernels/matmul_cases.h"

namespace kelda {
namespace {

using testing::normal_floats;
using testing::RowStorage;

RowStorage quantized(const std::vector<float>& x) {
  RowStorage out(1, static_cast<int64_t>(x.size()));
  kernels::scalar::quantize_row(x.data(), out.rows, 0);
  return out;
}

TEST(ScalarQuantize, RebuildsEveryElementToHalfAStep) {
  const std::vector<float> x = normal_floats(640, 1);
  const RowStorage out = quantized(x);
  for (size_t k = 0; k < x.size(); ++k) {
    if (std::fabs(x[k]) > 5) continue;  // may be an outlier
    const float scale = out.scale[k / 32];
    EXPECT_NEAR(static_cast<float>(out.q[k]) * scale, x[k], 0.5001f * scale);
  }
}

TEST(ScalarQuantize, RoundsHalvesToEven) {
  std::vector<float> x(32, 0.0f);
  x[0] = 127;
  x[1] = 0.5f;
  x[2] = 1.5f;
  x[3] = -2.5f;
  // Among zeros 127 would be an outlier: fill the rest with its equals.
  for (size_t i = 4; i < 32; ++i) x[i] = -127;
  const RowStorage out = quantized(x);
  EXPECT_EQ(out.q[0], 127);
  EXPECT_EQ(out.q[1], 0);
  EXPECT_EQ(out.q[2], 2);
  EXPECT_EQ(out.q[3], -2);
  EXPECT_EQ(out.q[31], -127);
  EXPECT_EQ(out.scale[0], 1.0f);
  EXPECT_EQ(out.sum[0], 127 + 0 + 2 - 2 - 28 * 127);
}

TEST(ScalarQuantize, TakesOutliersOutExactly) {
  std::vector<float> x = normal_floats(576, 2);
  x[100] = 1234.5f;
  x[313] = -999.25f;
  const RowStorage out = quantized(x);
  ASSERT_EQ(out.n_outliers[0], 2);
  EXPECT_EQ(out.outlier_k[0], 100);
  EXPECT_EQ(out.outlier_x[0], 1234.5f);
  EXPECT_EQ(out.outlier_k[1], 313);
  EXPECT_EQ(out.outlier_x[1], -999.25f);
  EXPECT_EQ(out.q[100], 0);
  EXPECT_EQ(out.q[313], 0);
  EXPECT_LT(out.scale[100 / 32], 5.0f / 127) << "the outlier must not stretch its block's scale";
}

TEST(ScalarQuantize, FillsPaddingWithZeros) {
  const RowStorage out = quantized(std::vector<float>(70, 1.0f));
  ASSERT_EQ(out.rows.stride, 128);
  ASSERT_EQ(out.rows.n_blocks, 3);
  for (size_t k = 0; k < 128; ++k) EXPECT_EQ(out.q[k], k < 70 ? 127 : 0) << k;
  EXPECT_EQ(out.sum[2], 6 * 127);
}

TEST(ScalarQuantize, GivesZeroForZerosAndForNumbersTooSmallToScale) {
  for (float v : {0.0f, -0.0f, 1e-44f, 7e-31f}) {
    const RowStorage out = quantized(std::vector<float>(64, v));
    EXPECT_EQ(out.n_outliers[0], 0);
    EXPECT_EQ(out.scale[1], 0.0f);
    EXPECT_EQ(out.q[63], 0);
  }
}

TEST(ScalarQuantize, HasNoOutliersInRowsWhoseSquaresUnderflow) {
  std::vector<float> x(64, 1e-25f);
  x[3] = 1e-20f;
  EXPECT_EQ(quantized(x).n_outliers[0], 0);
}

TEST(ScalarQuantize, ShowsInfinityAndNanInTheScaleOfTheirBlockAlone) {
  for (float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> x(96, 1.0f);
    x[40] = bad;
    const RowStorage out = quantized(x);
    EXPECT_EQ(out.n_outliers[0], 0);
    EXPECT_EQ(out.scale[0], 1.0f / 127);
    EXPECT_TRUE(std::isnan(out.scale[1]));
    EXPECT_EQ(out.q[40], 0);
    EXPECT_EQ(out.scale[2], 1.0f / 127);
  }
}

TEST(ScalarQuantize, NeverNeedsMoreRoomForOutliersThanDeclared) {
  // The worst row: as many elements as can stand 6 × RMS above, the others zero.
  for (int64_t cols : {32, 64, 576, 1536, 8960}) {
    for (int64_t large = 1; large <= cols / 30 + 2 && large <= cols; ++large) {
      std::vector<float> x(static_cast<size_t>(cols), 0.0f);
      for (int64_t i = 0; i < large; ++i) x[static_cast<size_t>(i)] = 1;
      EXPECT_LT(quantized(x).n_outliers[0], kernels::max_outliers(cols));
    }
  }
}

TEST(Avx2Quantize, EqualsTheReference) {
  if (!available(Isa::kAvx2)) GTEST_SKIP() << "this processor has no AVX2";
  std::vector<std::vector<float>> inputs;
  for (int64_t cols = 1; cols <= 130; ++cols)
    inputs.push_back(normal_floats(cols, static_cast<uint32_t>(cols)));
  for (float size : {0.0f, 1e-44f, 1e-38f, 7.8e-31f, 8e-31f, 1e-30f, 1e-20f, 1e19f, 1e20f, 3e37f}) {
    inputs.push_back(normal_floats(576, 200, size));
  }
  for (size_t k = 0; k < 96; ++k) {
    for (float v : {50.0f, -8.0f, 6.5f, std::numeric_limits<float>::infinity(), std::nanf(""), 1e30f}) {
      inputs.push_back(normal_floats(96, 300));
      inputs.back()[k] = v;
    }
  }
  for (int i = 0; i < 200; ++i) {  // halves, so that ties are rounded
    inputs.push_back(normal_floats(64, static_cast<uint32_t>(400 + i), 20));
    for (float& v : inputs.back()) v = std::round(v * 2) / 2;
    inputs.back()[0] = inputs.back()[40] = 127;
  }
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {  // any bits at all
    inputs.emplace_back(100);
    for (float& v : inputs.back()) {
      const auto bits = static_cast<uint32_t>(random());
      std::memcpy(&v, &bits, sizeof v);
    }
  }
  for (const std::vector<float>& x : inputs) {
    const RowStorage want = quantized(x);
    RowStorage got(1, static_cast<int64_t>(x.size()));
    kernels::avx2::quantize_row(x.data(), got.rows, 0);
    EXPECT_EQ(got.q, want.q);
    EXPECT_TRUE(testing::same_bits(got.scale, want.scale));
    EXPECT_EQ(got.sum, want.sum);
    EXPECT_EQ(got.n_outliers, want.n_outliers);
    EXPECT_EQ(got.outlier_k, want.outlier_k);
    EXPECT_EQ(got.outlier_x, want.outlier_x);
    if (HasFailure()) FAIL() << "for a row of " << x.size() << " starting with " << x[0];
  }
}

}  // namespace
}  // namespace kelda
