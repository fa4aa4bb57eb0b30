// Matmul kernels: multiply-adds per second by format, shape and number of tokens (one thread, weights in
// cache where they fit), and bytes of weights per second for one token over a matrix far larger than the
// caches.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/rng.h"
#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "quant/packed_matrix.h"

namespace {

using namespace kelda;

// A matrix of random weights: one row group is quantised and repeated.
quant::PackedMatrix random_matrix(const quant::FormatSpec& format, int64_t rows, int64_t cols) {
  quant::PackedMatrix w(format, rows, cols);
  std::vector<float> values(static_cast<size_t>(cols));
  const int64_t row_bytes = quant::row_bytes(format, cols);
  std::vector<std::byte> group(static_cast<size_t>(row_bytes * quant::kLanes));
  uint32_t draw = 0;
  for (int r = 0; r < quant::kLanes; ++r) {
    for (float& v : values) v = static_cast<float>(uniform({}, draw++)) - 0.5f;
    format.quantize(values.data(), group.data() + r * row_bytes, cols);
  }
  for (int64_t g = 0; g < w.n_groups(); ++g) w.pack_groups(g, 1, group.data());
  return w;
}

struct Inputs {
  kernels::QuantizedRows rows;
  std::vector<float> x, y, scale, outlier_x;
  std::vector<int8_t> q;
  std::vector<int32_t> sum, n_outliers, outlier_k;

  Inputs(int64_t n, int64_t cols, int64_t out_cols)
      : x(static_cast<size_t>(n * cols)), y(static_cast<size_t>(n * out_cols)) {
    rows.cols = cols;
    rows.stride = round_up(cols, 64);
    rows.n_blocks = ceil_div(cols, quant::kActBlock);
    rows.max_outliers = kernels::max_outliers(cols);
    q.resize(static_cast<size_t>(n * rows.stride));
    scale.resize(static_cast<size_t>(n * rows.n_blocks));
    sum.resize(scale.size());
    n_outliers.resize(static_cast<size_t>(n));
    outlier_k.resize(static_cast<size_t>(n * rows.max_outliers));
    outlier_x.resize(outlier_k.size());
    rows.q = q.data();
    rows.scale = scale.data();
    rows.sum = sum.data();
    rows.n_outliers = n_outliers.data();
    rows.outlier_k = outlier_k.data();
    rows.outlier_x = outlier_x.data();
    uint32_t draw = 0;
    for (float& v : x) v = static_cast<float>(uniform({}, draw++)) - 0.5f;
    for (int64_t t = 0; t < n; ++t) {
      x[static_cast<size_t>(t * cols + t % cols)] = 20;  // an outlier in each row
      table().quantize_row(x.data() + t * cols, rows, t);
    }
  }
  static const kernels::KernelTable& table() { return kernels::table_of(choose_isa()); }
};

kernels::MatmulArgs arguments(const quant::PackedMatrix& w, Inputs& in, int64_t n_tokens) {
  return {.format = &w.format(),
          .w = w.group(0),
          .group_bytes = w.group_bytes(),
          .n_groups = w.n_groups(),
          .n_rows = w.rows(),
          .cols = w.cols(),
          .first_token = 0,
          .n_tokens = n_tokens,
          .x = &in.rows,
          .x_f32 = in.x.data(),
          .x_stride = w.cols(),
          .y = in.y.data(),
          .y_stride = w.rows()};
}

void compute(benchmark::State& state, const std::string& name) {
  const int64_t rows = state.range(0), cols = state.range(1), n_tokens = state.range(2);
  const quant::PackedMatrix w = random_matrix(*quant::find_format(name), rows, cols);
  Inputs in(n_tokens, cols, rows);
  const kernels::MatmulFn run = Inputs::table().matmul(w.format());
  for (auto _ : state) {
    run(arguments(w, in, n_tokens));
    benchmark::ClobberMemory();
  }
  state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(rows * cols * n_tokens),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

void stream(benchmark::State& state, const std::string& name) {
  const int64_t rows = 640 * 1024, cols = 1536;
  const int n_threads = static_cast<int>(state.range(0));
  static quant::PackedMatrix w;
  static std::string kept;
  if (kept != name) w = {};
  if (kept != name) w = random_matrix(*quant::find_format(name), rows, cols);
  kept = name;
  Inputs in(1, cols, rows);
  ThreadPool pool(n_threads);
  const kernels::MatmulFn run = Inputs::table().matmul(w.format());
  const int64_t n_items = 16 * n_threads;
  for (auto _ : state) {
    pool.run(n_items, [&](int64_t item, int) {
      kernels::MatmulArgs a = arguments(w, in, 1);
      const int64_t first = w.n_groups() * item / n_items, end = w.n_groups() * (item + 1) / n_items;
      a.w = w.group(first);
      a.n_groups = end - first;
      a.n_rows = a.n_groups * quant::kLanes;
      a.y += first * quant::kLanes;
      run(a);
    });
  }
  state.SetBytesProcessed(static_cast<int64_t>(w.bytes()) * static_cast<int64_t>(state.iterations()));
}

const bool registered = [] {
  for (const quant::FormatSpec* format : quant::formats()) {
    const std::string name(format->name);
    auto* b = benchmark::RegisterBenchmark(("compute/" + name).c_str(), compute, name);
    b->ArgNames({"rows", "cols", "tokens"});
    for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{1536, 576}, {576, 1536}, {8960, 1536}}) {
      if (cols % format->block_size != 0) continue;
      for (int64_t tokens : {1, 2, 4, 64}) b->Args({rows, cols, tokens});
    }
  }
  for (const quant::FormatSpec* format : quant::formats()) {
    const std::string name(format->name);
    if (name == "f32" || name == "bf16") continue;  // memory and nothing else; f16 shows it
    auto* b = benchmark::RegisterBenchmark(("stream/" + name).c_str(), stream, name);
    b->ArgNames({"threads"})->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
