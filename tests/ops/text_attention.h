// A made-up text whose queries, keys and values are functions of the position alone, and its attention
// computed in any chunks, company and number of threads: what the tests compare.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "base/half.h"
#include "base/thread_pool.h"
#include "ops/attention.h"
#include "state/batch.h"

namespace kelda::ops::test {

struct Shape {
  KvType type = KvType::kF16;
  int64_t n_kv_heads = 1, group = 3, head_dim = 64, window = 0;
  float softcap = 0;
  bool causal = true;

  int64_t n_heads() const { return n_kv_heads * group; }
  int64_t q_cols() const { return n_heads() * head_dim; }
  int64_t kv_cols() const { return n_kv_heads * head_dim; }
  KvShape kv() const { return {type, n_kv_heads, head_dim, {window}, causal}; }
};

// n positions of a text.
struct Text {
  Shape shape;
  int64_t n;
  std::vector<float> q, k, v;

  Text(const Shape& s, int64_t length, unsigned seed) : shape(s), n(length) {
    std::mt19937 rng(seed);
    std::normal_distribution<float> normal;
    q.resize(static_cast<std::size_t>(n * s.q_cols()));
    k.resize(static_cast<std::size_t>(n * s.kv_cols()));
    v.resize(k.size());
    for (auto* x : {&q, &k, &v}) {
      for (float& e : *x) e = normal(rng);
    }
  }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(shape.head_dim)); }
};

struct How {
  const kernels::KernelTable* kernels = &kernels::scalar_table();
  int threads = 1;
};

// Every byte 0xFF: what has not been written reads as NaN.
inline void poison(KvCache& cache) {
  const KvLayer layer = cache.layer(0);
  std::memset(layer.base, 0xFF, cache.bytes_reserved());
}

// Appends positions [from, from + count) of `text` to the run list and the row matrices.
struct Rows {
  std::vector<float> q, k, v;
  std::vector<BatchRun> runs;
  int64_t n = 0;

  void add(const Text& text, Sequence& sequence, int64_t from, int64_t count) {
    const auto append = [&](std::vector<float>& to, const std::vector<float>& x, int64_t cols) {
      to.insert(to.end(), x.begin() + from * cols, x.begin() + (from + count) * cols);
    };
    append(q, text.q, text.shape.q_cols());
    append(k, text.k, text.shape.kv_cols());
    append(v, text.v, text.shape.kv_cols());
    sequence.reserve(count);
    runs.push_back({&sequence, n, count, sequence.length()});
    n += count;
  }
};

// One pass over `rows`; the attention of every row.
inline std::vector<float> pass(const How& how, ThreadPool& pool, KvCache& cache, Rows& rows, const Text& text,
                               AttentionWorkspace& workspace) {
  const Shape& s = text.shape;
  Exec exec{pool, *how.kernels};
  std::vector<float> out(rows.q.size(), std::numeric_limits<float>::quiet_NaN());
  const KvLayer layer = cache.layer(0);
  store_kv(exec, layer, rows.runs, Matrix<const float>(rows.k.data(), rows.n, s.kv_cols()),
           Matrix<const float>(rows.v.data(), rows.n, s.kv_cols()));
  attention(exec, layer, rows.runs, s.n_heads(), {text.scale(), s.softcap},
            Matrix<float>(rows.q.data(), rows.n, s.q_cols()), workspace,
            Matrix<float>(out.data(), rows.n, s.q_cols()));
  return out;
}

// The attention of all of `text`, read in chunks of `chunk` tokens. With `strangers`, other texts of other
// lengths share every pass, before and after it.
inline std::vector<float> attend(const How& how, const Text& text, int64_t chunk, bool strangers = false) {
  ThreadPool pool(how.threads);
  KvCache cache(text.shape.kv(), 4 * text.n + 1000);
  poison(cache);
  AttentionWorkspace workspace;
  Sequence sequence(cache), before(cache), after(cache);
  const Text other(text.shape, 3 * text.n + 700, 99);
  std::vector<float> all;
  int64_t other_chunk = 1;
  for (int64_t at = 0; at < text.n; at += chunk) {
    const int64_t count = std::min(chunk, text.n - at);
    Rows rows;
    if (strangers) rows.add(other, before, before.length(), other_chunk);
    const int64_t mine = rows.n;
    rows.add(text, sequence, at, count);
    if (strangers) rows.add(other, after, after.length(), 1);
    const auto out = pass(how, pool, cache, rows, text, workspace);
    all.insert(all.end(), out.begin() + mine * text.shape.q_cols(),
               out.begin() + (mine + count) * text.shape.q_cols());
    sequence.advance(count);
    if (strangers) {
      before.advance(other_chunk);
      after.advance(1);
      other_chunk = other_chunk % 5 + 1;
    }
  }
  return all;
}

}  // namespace kelda::ops::test
