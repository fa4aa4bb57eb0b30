// Attention on one thread: how fast one token reads 4,096 keys, and how fast a prompt of 512 is taken in. The
// counter is multiplications and additions per second (GMAC/s); keys × head_dim × 2 of them per query row.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "base/cpu.h"
#include "base/math.h"
#include "base/thread_pool.h"
#include "ops/attention.h"
#include "state/batch.h"

namespace {

using namespace kelda;

const kernels::KernelTable& table(int64_t which) {
  return which == 0 ? kernels::scalar_table() : kernels::avx2_table();
}

// attention() scales its queries in place; this factor leaves them as they are, pass after pass.
constexpr float kScale = 1.0f / kLog2E;

std::vector<float> random_numbers(int64_t n) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& e : x) e = normal(rng);
  return x;
}

// range: instruction set, head_dim, query heads per KV head, tokens before the pass, tokens of the pass
void attention_pass(benchmark::State& state) {
  if (state.range(0) != 0 && !available(Isa::kAvx2)) return state.SkipWithError("no AVX2");
  const int64_t head_dim = state.range(1), group = state.range(2), past = state.range(3), n = state.range(4);
  ThreadPool pool(1);
  Exec exec{pool, table(state.range(0))};
  KvCache cache({KvType::kF16, 1, head_dim, {0}}, past + n);
  Sequence sequence(cache);
  const KvLayer layer = cache.layer(0);
  const auto fill = [&](int64_t tokens) {
    const auto k = random_numbers(tokens * head_dim);
    sequence.reserve(tokens);
    const BatchRun run{&sequence, 0, tokens, sequence.length()};
    const Matrix<const float> rows(k.data(), tokens, head_dim);
    ops::store_kv(exec, layer, {&run, 1}, rows, rows);
    return run;
  };
  if (past > 0) {
    fill(past);
    sequence.advance(past);
  }
  const BatchRun run = fill(n);
  auto q = random_numbers(n * group * head_dim);
  std::vector<float> out(q.size());
  const Matrix<float> queries(q.data(), n, group * head_dim), results(out.data(), n, group * head_dim);
  ops::AttentionWorkspace workspace;
  for (auto _ : state) {
    ops::attention(exec, layer, {&run, 1}, group, kScale, queries, workspace, results);
    benchmark::DoNotOptimize(out.data());
  }
  double pairs = 0;
  for (int64_t i = 0; i < n; ++i) pairs += static_cast<double>(group * (past + i + 1));
  state.counters["GMAC/s"] = benchmark::Counter(pairs * static_cast<double>(2 * head_dim) * 1e-9,
                                                benchmark::Counter::kIsIterationInvariantRate);
  state.counters["ns/pair"] = benchmark::Counter(
      pairs * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(attention_pass)
    ->ArgNames({"avx2", "head_dim", "group", "past", "tokens"})
    ->Args({1, 64, 3, 4095, 1})
    ->Args({1, 64, 1, 4095, 1})
    ->Args({1, 128, 4, 4095, 1})
    ->Args({1, 64, 3, 0, 512})
    ->Args({1, 128, 4, 0, 512})
    ->Args({0, 64, 3, 0, 512})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
