#include "kernels/scalar/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/scalar/lanes.h"

namespace kelda::kernels::scalar {
namespace {

using quant::kActBlock;

// Σ x² by the 16-lane tree.
float sum_of_squares(const float* x, int64_t n) {
  float lane[kSumLanes] = {};
  for (int64_t i = 0; i < n; ++i) lane[i % kSumLanes] = std::fma(x[i], x[i], lane[i % kSumLanes]);
  return sum_lanes(lane);
}

// Above this an element is an outlier. Rows too small for their squares to be exact enough have none, and
// neither have rows with infinities or NaNs (no number is above an infinite or undefined limit).
float outlier_limit(const float* x, int64_t n) {
  const float mean_square = sum_of_squares(x, n) / static_cast<float>(n);
  if (mean_square < 0x1p-100f) return std::numeric_limits<float>::infinity();
  return kOutlierLimit * std::sqrt(mean_square);
}

// Quantises 32 numbers. An infinity or NaN among them makes the scale NaN, so that it shows in every output.
void quantize_block(const float* x, int8_t* q, float& scale, int32_t& sum) {
  float largest = 0;
  bool finite = true;
  for (int i = 0; i < kActBlock; ++i) {
    largest = std::max(largest, std::fabs(x[i]));
    finite = finite && std::isfinite(x[i]);
  }
  std::memset(q, 0, kActBlock);
  sum = 0;
  scale = finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  if (!finite || largest < 0x1p-100f) return;
  scale = largest / 127;
  const float inverse = 127 / largest;
  for (int i = 0; i < kActBlock; ++i) {
    q[i] = static_cast<int8_t>(std::nearbyint(x[i] * inverse));
    sum += q[i];
  }
}

}  // namespace

void quantize_row(const float* x, const QuantizedRows& out, int64_t row) noexcept {
  const float limit = outlier_limit(x, out.cols);
  int8_t* q = out.q + row * out.stride;
  int32_t n_outliers = 0;
  for (int64_t kb = 0; kb < out.n_blocks; ++kb) {
    float block[kActBlock] = {};
    const int64_t first = kb * kActBlock;
    for (int64_t k = first; k < std::min(first + kActBlock, out.cols); ++k) {
      if (std::fabs(x[k]) > limit && n_outliers < out.max_outliers) {
        out.outlier_k[row * out.max_outliers + n_outliers] = static_cast<int32_t>(k);
        out.outlier_x[row * out.max_outliers + n_outliers] = x[k];
        ++n_outliers;
      } else {
        block[k - first] = x[k];
      }
    }
    const int64_t i = row * out.n_blocks + kb;
    quantize_block(block, q + first, out.scale[i], out.sum[i]);
  }
  out.n_outliers[row] = n_outliers;
  std::memset(q + out.n_blocks * kActBlock, 0, static_cast<size_t>(out.stride - out.n_blocks * kActBlock));
}

}  // namespace kelda::kernels::scalar
