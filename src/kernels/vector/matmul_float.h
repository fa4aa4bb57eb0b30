// Matmul of the float formats as a template over L, sixteen lanes (kernels/ISA/lanes.h): F = fma(w[k], x[k],
// F) for 16 G rows by T tokens. Every sum is one chain of dependent multiply-adds, so the G · T sums of a
// tile hide each other's latency.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/vector/matmul_codes.h"

namespace kelda::kernels::vector {
namespace {

// A format W<L> says: kColumnBytes, of 16 rows; load(p), a column as floats.
template <typename L, typename W, int G, int T>
void float_tile(const MatmulArgs& a, const std::byte* groups, int64_t token, float* y, int64_t n_rows) {
  using F = typename L::F;
  constexpr int kAhead = 1024;  // bytes, for one token
  const float* x = a.x_f32 + token * a.x_stride;
  F sum[G][T];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) sum[g][t] = F::broadcast(0);
  }
  for (int64_t k = 0; k < a.cols; ++k) {
    F w[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const std::byte* column = groups + g * a.group_bytes + k * W::kColumnBytes;
      if constexpr (T == 1) L::prefetch(column + kAhead);
      w[g] = W::load(column);
    }
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const F in = F::broadcast(x[t * a.x_stride + k]);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) sum[g][t] = F::fma(w[g], in, sum[g][t]);
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
    const int64_t left = n_rows - g * quant::kLanes;
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      float* out = y + t * a.y_stride + g * quant::kLanes;
      if (left >= quant::kLanes) {
        sum[g][t].store(out);
      } else {
        sum[g][t].store_first(out, left);
      }
    }
  }
}

// All tokens for G groups: many to a tile, or one for each of `a`'s streams of weights.
template <typename L, typename W, int G, int T>
void float_groups(const MatmulArgs& a, int64_t g, int64_t first, int64_t end) {
  for (int64_t token = first; token < end; token += T) {
    float* y = a.y + token * a.y_stride + g * quant::kLanes;
    float_tile<L, W, G, T>(a, a.w + g * a.group_bytes, token, y, a.n_rows - g * quant::kLanes);
  }
}
template <typename L, typename W, int T, int G>
void float_tokens(const MatmulArgs& a, int64_t first_group, int64_t n_groups, int64_t first, int64_t end) {
  int64_t g = first_group;
  const int64_t behind = first_group + n_groups;
  for (; g + G <= behind; g += G) float_groups<L, W, G, T>(a, g, first, end);
  for (; g < behind; ++g) float_groups<L, W, 1, T>(a, g, first, end);
}

template <typename L, typename W>
void matmul_float(const MatmulArgs& a) noexcept {
  constexpr int64_t kTogether = L::kFloatStreams;  // groups that stay in cache for all tokens
  const int64_t whole = a.n_tokens / L::kFloatTokens * L::kFloatTokens, end = a.first_token + a.n_tokens;
  for (int64_t g = 0; g < a.n_groups; g += kTogether) {
    const int64_t n = a.n_groups - g < kTogether ? a.n_groups - g : kTogether;
    float_tokens<L, W, L::kFloatTokens, L::kFloatGroups>(a, g, n, a.first_token, a.first_token + whole);
    float_tokens<L, W, 1, L::kFloatStreams>(a, g, n, a.first_token + whole, end);
  }
}

}  // namespace
}  // namespace kelda::kernels::vector
