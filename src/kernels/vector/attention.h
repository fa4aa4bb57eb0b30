// Attention over one 512-key split (kernels/kernel_table.h) as a template over F, sixteen float lanes:
// kernels/ISA/lanes.h.
//
// Rows go in tiles of up to kTileRows that share every load and conversion of K and V. Lanes are keys while
// scores are made and head dimensions while values are gathered, so nothing is ever summed across lanes but
// the denominator. A row's own first and last key are respected exactly: keys beyond them are never
// multiplied into its result, whatever the cache holds there.
#pragma once

#include <cstdint>

#include "base/half.h"
#include "kernels/kernel_table.h"

namespace kelda::kernels::vector {
namespace {

inline constexpr int kTileRows = 6;
inline constexpr int kLaneKeys = 16;  // keys side by side in a K block

// How many sixteens of keys or of dimensions are worked on at once: with few rows one alone would wait for
// its own sums.
template <int R>
inline constexpr int kChunksFor = R == 1   ? 4
                                  : R == 2 ? 2
                                           : 1;

// Keys lo … hi of a block that a row attends to; none where lo > hi.
struct KeyRange {
  int lo, hi;
};

template <typename F>
struct AttentionRow {
  const float* q;
  float* o;
  F l;
  float m;
  int64_t first_key, last_key;

  KeyRange range(int64_t block_start) const {
    const int64_t lo = first_key - block_start, hi = last_key - block_start;
    return {static_cast<int>(lo < 0          ? 0
                             : lo > kKvBlock ? kKvBlock
                                             : lo),
            static_cast<int>(hi < -1             ? -1
                             : hi > kKvBlock - 1 ? kKvBlock - 1
                                                 : hi)};
  }
};

// s[r][0 … 63] = q[r] · k, for R rows, C × 16 keys at a time: enough independent sums to keep the multipliers
// busy. k: [4][head_dim][16].
template <typename F, int R, int C, typename T>
inline void scores(const AttentionRow<F>* rows, const T* k, int head_dim, float (*s)[kKvBlock]) noexcept {
  const float* q[R];
  for (int r = 0; r < R; ++r) q[r] = rows[r].q;
  const int64_t next = int64_t{kLaneKeys} * head_dim;  // elements between two groups of 16 keys
  for (int j = 0; j < kKvBlock; j += C * kLaneKeys, k += C * next) {
    F sum[R][C];
    for (int r = 0; r < R; ++r) {
      for (int c = 0; c < C; ++c) sum[r][c] = F::broadcast(0.0f);
    }
    for (int d = 0; d < head_dim; ++d) {
      for (int c = 0; c < C; ++c) {
        const F key = F::load(k + c * next + d * kLaneKeys);
        for (int r = 0; r < R; ++r) sum[r][c] = F::fma(F::broadcast(q[r][d]), key, sum[r][c]);
      }
    }
    for (int r = 0; r < R; ++r) {
      for (int c = 0; c < C; ++c) sum[r][c].store(s[r] + j + c * kLaneKeys);
    }
  }
}

// Turns scores into weights and brings the row's m, l and o up to the new maximum.
template <typename F>
inline void softmax(AttentionRow<F>& row, KeyRange keys, int head_dim, float softcap, float* s) noexcept {
  const F lowest = F::broadcast(-__builtin_inff());
  const bool whole = keys.lo == 0 && keys.hi == kKvBlock - 1;
  F largest = lowest;
  for (int j = 0; j < kKvBlock; j += kLaneKeys) {
    F x = F::load(s + j);
    if (softcap != 0) {
      const F cap = F::broadcast(softcap);
      x = cap * (x / cap).tanh();
    }
    if (!whole) x = F::choose(keys.lo - j, keys.hi - j, x, lowest);
    if (!whole || softcap != 0) x.store(s + j);
    largest = F::larger(x, largest);
  }
  if (const float m = largest.max(); m > row.m) {
    const F shrink = F::broadcast(row.m - m).exp2();
    row.l = row.l * shrink;
    for (int d = 0; d < head_dim; d += kLaneKeys) (F::load(row.o + d) * shrink).store(row.o + d);
    row.m = m;
  }
  const F m = F::broadcast(row.m), zero = F::broadcast(0.0f);
  for (int j = 0; j < kKvBlock; j += kLaneKeys) {
    F p = (F::load(s + j) - m).exp2();
    if (!whole) p = F::choose(keys.lo - j, keys.hi - j, p, zero);
    p.store(s + j);
    row.l = row.l + p;
  }
}

// o[r][d …] += p[r][j] v[j][d …], j = keys.lo … keys.hi, for R rows and C × 16 dimensions from d on. v:
// [64][head_dim].
template <typename F, int R, int C, typename T>
inline void gather_at(const AttentionRow<F>* rows, int d, KeyRange keys, const T* v, int head_dim,
                      const float (*p)[kKvBlock]) noexcept {
  F o[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) o[r][c] = F::load(rows[r].o + d + c * kLaneKeys);
  }
  for (int j = keys.lo; j <= keys.hi; ++j) {
    for (int c = 0; c < C; ++c) {
      const F value = F::load(v + int64_t{j} * head_dim + d + c * kLaneKeys);
      for (int r = 0; r < R; ++r) o[r][c] = F::fma(F::broadcast(p[r][j]), value, o[r][c]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) o[r][c].store(rows[r].o + d + c * kLaneKeys);
  }
}

template <typename F, int R, typename T>
inline void gather(const AttentionRow<F>* rows, KeyRange keys, const T* v, int head_dim,
                   const float (*p)[kKvBlock]) noexcept {
  if (keys.lo > keys.hi) return;
  constexpr int kChunks = kChunksFor<R>;
  int d = 0;
  for (; d + kChunks * kLaneKeys <= head_dim; d += kChunks * kLaneKeys) {
    gather_at<F, R, kChunks>(rows, d, keys, v, head_dim, p);
  }
  for (; d < head_dim; d += kLaneKeys) gather_at<F, R, 1>(rows, d, keys, v, head_dim, p);
}

template <typename F, int R, typename T>
inline void attend_block(AttentionRow<F>* rows, int64_t block_start, const T* k, const T* v, int head_dim,
                         float softcap) noexcept {
  alignas(64) float s[R][kKvBlock];
  KeyRange range[R];
  KeyRange shared = {0, kKvBlock - 1};  // keys that every row attends to
  bool any = false;
  for (int r = 0; r < R; ++r) {
    range[r] = rows[r].range(block_start);
    any = any || range[r].lo <= range[r].hi;
    shared.lo = range[r].lo > shared.lo ? range[r].lo : shared.lo;
    shared.hi = range[r].hi < shared.hi ? range[r].hi : shared.hi;
  }
  if (!any) return;
  scores<F, R, kChunksFor<R>>(rows, k, head_dim, s);
  for (int r = 0; r < R; ++r) {
    if (range[r].lo <= range[r].hi) softmax(rows[r], range[r], head_dim, softcap, s[r]);
  }
  if (shared.lo > shared.hi) {  // nothing in common: each row on its own
    for (int r = 0; r < R; ++r) gather<F, 1>(rows + r, range[r], v, head_dim, s + r);
    return;
  }
  for (int r = 0; r < R; ++r) gather<F, 1>(rows + r, {range[r].lo, shared.lo - 1}, v, head_dim, s + r);
  gather<F, R>(rows, shared, v, head_dim, s);
  for (int r = 0; r < R; ++r) gather<F, 1>(rows + r, {shared.hi + 1, range[r].hi}, v, head_dim, s + r);
}

template <typename F, int R, typename T>
inline void attend_tile(const AttentionArgs& a, int64_t first_row) noexcept {
  AttentionRow<F> rows[R];
  for (int r = 0; r < R; ++r) {
    const int64_t i = first_row + r;
    rows[r] = {a.q[i],         a.o + i * a.head_dim, F::broadcast(0.0f), -__builtin_inff(),
               a.first_key[i], a.last_key[i]};
    for (int d = 0; d < a.head_dim; d += kLaneKeys) F::broadcast(0.0f).store(rows[r].o + d);
  }
  for (int b = 0; b < kKvSplit / kKvBlock; ++b) {
    attend_block<F, R>(rows, a.split * kKvSplit + b * kKvBlock, reinterpret_cast<const T*>(a.k_blocks[b]),
                       reinterpret_cast<const T*>(a.v_blocks[b]), a.head_dim, a.softcap);
  }
  for (int r = 0; r < R; ++r) {
    a.m[first_row + r] = rows[r].m;
    a.l[first_row + r] = rows[r].l.sum();
  }
}

template <typename F, typename T>
inline void attend(const AttentionArgs& a) noexcept {
  int64_t row = 0;
  for (; row + kTileRows <= a.n_rows; row += kTileRows) attend_tile<F, kTileRows, T>(a, row);
  switch (a.n_rows - row) {
    case 5:
      return attend_tile<F, 5, T>(a, row);
    case 4:
      return attend_tile<F, 4, T>(a, row);
    case 3:
      return attend_tile<F, 3, T>(a, row);
    case 2:
      return attend_tile<F, 2, T>(a, row);
    case 1:
      return attend_tile<F, 1, T>(a, row);
    default:
      return;
  }
}

template <typename F>
inline void attention(const AttentionArgs& a) noexcept {
  if (a.kv_type == KvType::kF32) {
    attend<F, float>(a);
  } else {
    attend<F, f16>(a);
  }
}

}  // namespace
}  // namespace kelda::kernels::vector
