// Inputs for the tests of the matmul kernels: matrices of any format, activations with awkward values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/checked.h"
#include "kernels/kernel_table.h"
#include "quant/packed_matrix.h"

namespace kelda::testing {

// Storage for kernels::QuantizedRows.
struct RowStorage {
  kernels::QuantizedRows rows;
  std::vector<int8_t> q;
  std::vector<float> scale, outlier_x;
  std::vector<int32_t> sum, n_outliers, outlier_k;

  RowStorage(int64_t n, int64_t cols) {
    rows.cols = cols;
    rows.stride = round_up(cols, 64);
    rows.n_blocks = ceil_div(cols, quant::kActBlock);
    rows.max_outliers = kernels::max_outliers(cols);
    q.assign(static_cast<size_t>(n * rows.stride), 99);  // so that what a kernel forgets to write shows
    scale.assign(static_cast<size_t>(n * rows.n_blocks), -1);
    sum.assign(scale.size(), -1);
    n_outliers.assign(static_cast<size_t>(n), -1);
    outlier_k.assign(static_cast<size_t>(n * rows.max_outliers), -1);
    outlier_x.assign(outlier_k.size(), -1);
    rows.q = q.data();
    rows.scale = scale.data();
    rows.sum = sum.data();
    rows.n_outliers = n_outliers.data();
    rows.outlier_k = outlier_k.data();
    rows.outlier_x = outlier_x.data();
  }
};

inline std::vector<float> normal_floats(int64_t n, uint32_t seed, float sigma = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;  // scaled by hand: a deviation of 0 is not allowed
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = sigma * normal(random);
  return x;
}

// A matrix in row form, from floats.
inline std::vector<std::byte> quantized_rows(const quant::FormatSpec& format, std::span<const float> values,
                                             int64_t rows, int64_t cols) {
  const int64_t bytes = quant::row_bytes(format, cols);
  std::vector<std::byte> out(static_cast<size_t>(rows * bytes));
  for (int64_t r = 0; r < rows; ++r) format.quantize(values.data() + r * cols, out.data() + r * bytes, cols);
  return out;
}

inline quant::PackedMatrix packed(const quant::FormatSpec& format, const std::vector<std::byte>& row_form,
                                  int64_t rows, int64_t cols) {
  quant::PackedMatrix w(format, rows, cols);
  w.pack_groups(0, w.n_groups(), row_form.data());
  return w;
}

// Runs `run` on all of w and returns y[n_tokens][rows], surrounded by values that must survive.
inline std::vector<float> run_matmul(kernels::MatmulFn run, const quant::PackedMatrix& w,
                                     const kernels::QuantizedRows& x, const std::vector<float>& x_f32,
                                     int64_t first, int64_t n) {
  constexpr float kGuard = 12345;
  const int64_t stride = w.rows() + 3;
  std::vector<float> y(static_cast<size_t>((first + n + 1) * stride), kGuard);
  run({.format = &w.format(),
       .w = w.group(0),
       .group_bytes = w.group_bytes(),
       .n_groups = w.n_groups(),
       .n_rows = w.rows(),
       .cols = w.cols(),
       .first_token = first,
       .n_tokens = n,
       .x = &x,
       .x_f32 = x_f32.data(),
       .x_stride = w.cols(),
       .y = y.data(),
       .y_stride = stride});
  std::vector<float> out;
  for (int64_t t = 0; t <= first + n; ++t) {
    for (int64_t r = 0; r < stride; ++r) {
      const float v = y[static_cast<size_t>(t * stride + r)];
      if (t >= first && t < first + n && r < w.rows()) {
        out.push_back(v);
      } else {
        EXPECT_EQ(v, kGuard) << "token " << t << " row " << r << " is outside the result";
      }
    }
  }
  return out;
}

// Same bits; any NaN equals any NaN.
inline ::testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size())
    return ::testing::AssertionFailure() << a.size() << " and " << b.size() << " numbers";
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) {
      return ::testing::AssertionFailure() << "element " << i << ": " << a[i] << " and " << b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace kelda::testing
