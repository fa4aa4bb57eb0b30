#include "kernels/scalar/matmul.h"

#include <algorithm>
#include <cmath>

namespace kelda::kernels::scalar {
namespace {

using quant::DecodedBlock;
using quant::FormatSpec;
using quant::kActBlock;
using quant::kLanes;

constexpr int kTile = 8;  // tokens that share one decoding of the weights

constexpr int kHalf = kActBlock / 2;

int32_t half_dot(const DecodedBlock& w, int half, const int8_t* q) {
  int32_t dot = 0;
  for (int k = half * kHalf; k < (half + 1) * kHalf; ++k) dot += w.code[k] * q[k];
  return dot;
}

// F after one 32-column block; x_sum is the sum of q over it.
float add_block(const FormatSpec& format, const DecodedBlock& w, const int8_t* q, float x_scale,
                int32_t x_sum, float F) {
  const int32_t dot = w.factor[0] * half_dot(w, 0, q) + w.factor[1] * half_dot(w, 1, q);
  F = std::fma(static_cast<float>(dot), w.scale * x_scale, F);
  if (format.n_mins == 1) F = std::fma(w.min[0], x_scale * static_cast<float>(x_sum), F);
  if (format.n_mins == 2) {
    int32_t first = 0;
    for (int k = 0; k < kHalf; ++k) first += q[k];
    F = std::fma(w.min[0], x_scale * static_cast<float>(first), F);
    F = std::fma(w.min[1], x_scale * static_cast<float>(x_sum - first), F);
  }
  return F;
}

// One output row, tokens [token, token + n), n ≤ kTile: sums F of the quantised formats.
void quantized_row(const MatmulArgs& a, const std::byte* group, int lane, int64_t token, int n, float* F) {
  const FormatSpec& format = *a.format;
  const QuantizedRows& x = *a.x;
  DecodedBlock w;
  for (int t = 0; t < n; ++t) F[t] = 0;
  for (int64_t kb = 0; kb < x.n_blocks; ++kb) {
    format.decode(group, kb, lane, w);
    for (int t = 0; t < n; ++t) {
      const int8_t* q = x.q + (token + t) * x.stride + kb * kActBlock;
      const int64_t i = (token + t) * x.n_blocks + kb;
      F[t] = add_block(format, w, q, x.scale[i], x.sum[i], F[t]);
    }
  }
  for (int t = 0; t < n; ++t) {
    const int64_t first = (token + t) * x.max_outliers;
    for (int64_t i = first; i < first + x.n_outliers[token + t]; ++i) {
      format.decode(group, x.outlier_k[i] / kActBlock, lane, w);
      F[t] = std::fma(x.outlier_x[i], quant::weight(format, w, x.outlier_k[i] % kActBlock), F[t]);
    }
  }
}

// The same for the float formats.
void float_row(const MatmulArgs& a, const std::byte* group, int lane, int64_t token, int n, float* F) {
  for (int t = 0; t < n; ++t) F[t] = 0;
  for (int64_t k = 0; k < a.cols; ++k) {
    const float w = a.format->value(group, k, lane);
    for (int t = 0; t < n; ++t) F[t] = std::fma(w, a.x_f32[(token + t) * a.x_stride + k], F[t]);
  }
}

}  // namespace

void matmul(const MatmulArgs& a) noexcept {
  const int64_t end = a.first_token + a.n_tokens;
  for (int64_t row = 0; row < a.n_rows; ++row) {
    const std::byte* group = a.w + row / kLanes * a.group_bytes;
    const int lane = static_cast<int>(row % kLanes);
    for (int64_t token = a.first_token; token < end; token += kTile) {
      const int n = static_cast<int>(std::min<int64_t>(kTile, end - token));
      float F[kTile];
      if (a.format->quantized) {
        quantized_row(a, group, lane, token, n, F);
      } else {
        float_row(a, group, lane, token, n, F);
      }
      for (int t = 0; t < n; ++t) a.y[(token + t) * a.y_stride + row] = F[t];
    }
  }
}

}  // namespace kelda::kernels::scalar
