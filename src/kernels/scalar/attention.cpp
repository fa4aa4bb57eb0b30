#include <algorithm>
#include <cmath>
#include <limits>

#include "base/half.h"
#include "base/math.h"
#include "kernels/scalar/kernels.h"
#include "kernels/scalar/lanes.h"

namespace kelda::kernels::scalar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float value(float x) { return x; }
float value(f16 x) { return to_float(x); }

// What one row has gathered so far: the largest score, the lanes of the denominator, the weighted values.
struct RowState {
  float m = -kInfinity;
  float l[kSumLanes] = {};
  float* o;
};

// Keys lo … hi of one block.
template <typename T>
void attend_block(const AttentionArgs& a, const float* q, const T* k, const T* v, int64_t lo, int64_t hi,
                  RowState& row) {
  const int head_dim = a.head_dim;
  float s[kKvBlock];
  float lane[kSumLanes];
  std::fill(std::begin(s), std::end(s), -kInfinity);
  std::fill(std::begin(lane), std::end(lane), -kInfinity);
  for (int64_t j = lo; j <= hi; ++j) {
    const T* key = k + j / 16 * head_dim * 16 + j % 16;
    s[j] = 0;
    for (int d = 0; d < head_dim; ++d) s[j] = std::fma(q[d], value(key[d * 16]), s[j]);
    if (a.softcap != 0) s[j] = a.softcap * tanh_f32(s[j] / a.softcap);
  }
  for (int j = 0; j < kKvBlock; ++j) lane[j % kSumLanes] = larger(s[j], lane[j % kSumLanes]);

  if (const float m = max_lanes(lane); m > row.m) {
    const float shrink = exp2_f32(row.m - m);
    for (float& l : row.l) l *= shrink;
    for (int d = 0; d < head_dim; ++d) row.o[d] *= shrink;
    row.m = m;
  }
  for (int64_t j = lo; j <= hi; ++j) {
    const float p = exp2_f32(s[j] - row.m);
    row.l[j % kSumLanes] += p;
    for (int d = 0; d < head_dim; ++d) row.o[d] = std::fma(p, value(v[j * head_dim + d]), row.o[d]);
  }
}

template <typename T>
void attend_row(const AttentionArgs& a, int64_t r) {
  RowState row;
  row.o = a.o + r * a.head_dim;
  std::fill(row.o, row.o + a.head_dim, 0.0f);
  for (int b = 0; b < kKvSplit / kKvBlock; ++b) {
    const int64_t first = a.split * kKvSplit + b * kKvBlock;  // the block's first key
    const int64_t lo = std::max<int64_t>(a.first_key[r] - first, 0);
    const int64_t hi = std::min<int64_t>(a.last_key[r] - first, kKvBlock - 1);
    if (lo > hi) continue;
    attend_block(a, a.q[r], reinterpret_cast<const T*>(a.k_blocks[b]),
                 reinterpret_cast<const T*>(a.v_blocks[b]), lo, hi, row);
  }
  a.m[r] = row.m;
  a.l[r] = sum_lanes(row.l);
}

}  // namespace

void attention(const AttentionArgs& a) noexcept {
  for (int64_t r = 0; r < a.n_rows; ++r) {
    if (a.kv_type == KvType::kF32) {
      attend_row<float>(a, r);
    } else {
      attend_row<f16>(a, r);
    }
  }
}

}  // namespace kelda::kernels::scalar
