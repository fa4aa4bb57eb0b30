#include "measure/rates.h"

#include <chrono>
#include <vector>

#include "ops/attention.h"
#include "ops/matmul.h"
#include "state/batch.h"
#include "state/kv_cache.h"

namespace kelda::measure {
namespace {

constexpr double kPassSeconds = 2e-3;
constexpr int64_t kCols = 512;   // a multiple of every format's block
constexpr int64_t kRows = 1024;  // half a megabyte of weights at 8 bits
constexpr int64_t kKeys = kKvSplit;

// Runs `once` for about kPassSeconds; how often it ran per second.
template <typename Once>
double per_second(const Once& once) {
  const auto start = std::chrono::steady_clock::now();
  double seconds = 0;
  int64_t n = 0;
  while (seconds < kPassSeconds) {
    once();
    ++n;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return static_cast<double>(n) / seconds;
}

// Numbers of about 1 in no order that matters.
void fill(std::span<float> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
}

}  // namespace

struct MatmulRate::Work {
  quant::PackedMatrix w;
  std::vector<float> x, y;
  ops::Activations input;
};

MatmulRate::MatmulRate(Exec exec, const quant::FormatSpec& format, int64_t n_tokens)
    : exec_(exec), work_(std::make_unique<Work>()) {
  Work& w = *work_;
  std::vector<float> row(kCols);
  fill(row);
  std::vector<std::byte> rows(static_cast<std::size_t>(kRows * quant::row_bytes(format, kCols)));
  for (int64_t r = 0; r < kRows; ++r)
    format.quantize(row.data(), rows.data() + r * quant::row_bytes(format, kCols), kCols);
  w.w = quant::PackedMatrix(format, kRows, kCols);
  w.w.pack_groups(0, w.w.n_groups(), rows.data());
  w.x.resize(static_cast<std::size_t>(n_tokens * kCols));
  w.y.resize(static_cast<std::size_t>(n_tokens * kRows));
  fill(w.x);
  w.input.set(exec_, {w.x.data(), n_tokens, kCols}, format.quantized);
}

MatmulRate::~MatmulRate() = default;
MatmulRate::MatmulRate(MatmulRate&&) noexcept = default;

double MatmulRate::pass() {
  Work& w = *work_;
  const int64_t n_tokens = w.input.floats().rows;
  const Matrix<float> y = {w.y.data(), n_tokens, kRows};
  return per_second([&] { ops::matmul(exec_, w.w, w.input, y); }) *
         static_cast<double>(n_tokens * kRows * kCols);
}

struct AttentionRate::Work {
  Work(KvType type, int64_t n_kv_heads, int64_t head_dim)
      : cache({type, n_kv_heads, head_dim, {0}}, kKeys), sequence(cache) {}
  KvCache cache;
  Sequence sequence;
  Batch batch;
  std::vector<float> q, out;
  ops::AttentionWorkspace workspace;
  int64_t n_heads = 0;
};

AttentionRate::AttentionRate(Exec exec, KvType type, int64_t n_heads, int64_t n_kv_heads, int64_t head_dim)
    : exec_(exec), work_(std::make_unique<Work>(type, n_kv_heads, head_dim)) {
  Work& w = *work_;
  std::vector<float> kv(static_cast<std::size_t>(kKeys * n_kv_heads * head_dim));
  fill(kv);
  const std::vector<int32_t> ids(static_cast<std::size_t>(kKeys - 1), 0);
  w.batch.add(w.sequence, ids, Batch::Logits::kNone);
  const Matrix<const float> rows = {kv.data(), kKeys - 1, n_kv_heads * head_dim};
  ops::store_kv(exec_, w.cache.layer(0), w.batch.runs, rows, rows);
  w.sequence.advance(kKeys - 1);
  w.batch.clear();
  w.batch.add(w.sequence, std::span<const int32_t>(ids).first(1), Batch::Logits::kNone);
  const Matrix<const float> last = {kv.data(), 1, n_kv_heads * head_dim};
  ops::store_kv(exec_, w.cache.layer(0), w.batch.runs, last, last);
  w.n_heads = n_heads;
  w.q.resize(static_cast<std::size_t>(n_heads * head_dim));
  w.out.resize(w.q.size());
}

AttentionRate::~AttentionRate() = default;

double AttentionRate::pass() {
  Work& w = *work_;
  const auto width = static_cast<int64_t>(w.q.size());
  const KvLayer layer = w.cache.layer(0);
  const auto once = [&] {
    fill(w.q);  // attention() scales it in place
    ops::attention(exec_, layer, w.batch.runs, w.n_heads, 1.0f / 16, {w.q.data(), 1, width}, w.workspace,
                   {w.out.data(), 1, width});
  };
  return per_second(once) * static_cast<double>(2 * kKeys * width);
}

double region_seconds(ThreadPool& pool) {
  return 1 / per_second([&] { pool.run(pool.n_threads(), [](int64_t, int) {}); });
}

}  // namespace kelda::measure
