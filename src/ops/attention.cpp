// How attention is cut into work. Nothing here changes a result: a row's keys are always gathered in splits
// of 512 at absolute positions, and the splits' partial results merged in ascending order.
//
// A tile is up to 48 rows (token × query head) of one run that share a KV head. Either a thread takes a tile
// through all its splits ("chained": prefill, large batches), or tile and split together are the unit of work
// and whoever finishes a tile's last split merges them (decoding few long texts).
#include "ops/attention.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/math.h"
#include "ops/rows.h"

namespace kelda::ops {
namespace {

constexpr int64_t kMaxTileRows = 48;  // a multiple of what the kernels take at once
constexpr int64_t kMinTileRows = 6;
constexpr uint64_t kMaxPartialBytes = 64u << 20;  // beyond this, tiles are chained whatever their number

struct Tile {
  const BatchRun* run = nullptr;
  int64_t kv_head = 0;
  int64_t first_row = 0;  // row i of a run's KV head: token i / group, query head kv_head × group + i % group
  int64_t n_rows = 0;
  int64_t first_split = 0, last_split = 0;
};

// Unnormalised result of a tile's rows over one split.
struct Partial {
  float* m;
  float* l;
  float* o;
};

class Work {
 public:
  Work(const kernels::KernelTable& kernels, const KvLayer& kv, std::span<const BatchRun> runs,
       int64_t n_heads, float softcap, Matrix<const float> q, Matrix<float> out, int n_threads)
      : kernels_(kernels),
        kv_(kv),
        runs_(runs),
        group_(n_heads / kv.n_kv_heads),
        softcap_(softcap),
        q_(q),
        out_(out) {
    while (tile_rows_ > kMinTileRows && n_tiles() < 4 * n_threads) tile_rows_ /= 2;
  }

  int64_t n_tiles() const {
    int64_t n = 0;
    for (const BatchRun& run : runs_) n += kv_.n_kv_heads * tiles_per_head(run);
    return n;
  }
  int64_t n_splits(const Tile& t) const { return t.last_split - t.first_split + 1; }
  uint64_t partial_floats() const { return static_cast<uint64_t>(tile_rows_ * (kv_.head_dim + 2)); }
  Partial partial(float* memory) const { return {memory, memory + tile_rows_, memory + 2 * tile_rows_}; }

  // Tiles of one run and KV head follow each other, so that their keys and values stay in the processor's
  // cache; the last tokens, which see most keys, come first.
  Tile tile(int64_t index) const {
    for (const BatchRun& run : runs_) {
      const int64_t per_head = tiles_per_head(run), here = kv_.n_kv_heads * per_head;
      if (index >= here) {
        index -= here;
        continue;
      }
      Tile t;
      t.run = &run;
      t.kv_head = index / per_head;
      t.first_row = (per_head - 1 - index % per_head) * tile_rows_;
      t.n_rows = std::min(tile_rows_, run.n_tokens * group_ - t.first_row);
      t.first_split = first_key(t, 0) / kKvSplit;
      t.last_split = last_key(t, t.n_rows - 1) / kKvSplit;
      return t;
    }
    check_failed("the tile's index is in range", __FILE__, __LINE__);
  }

  void run_split(const Tile& t, int64_t split, const Partial& to) const {
    std::array<const float*, kMaxTileRows> q;
    std::array<int64_t, kMaxTileRows> first, last;
    for (int64_t r = 0; r < t.n_rows; ++r) {
      const auto i = static_cast<std::size_t>(r);
      q[i] = head(q_, t, r);
      first[i] = first_key(t, r);
      last[i] = last_key(t, r);
    }
    constexpr int64_t kBlocks = kKvSplit / kKvBlock;
    std::array<const std::byte*, kBlocks> k{}, v{};
    const auto table = t.run->sequence->blocks(kv_.group);
    const int64_t from = std::max(first_key(t, 0) / kKvBlock, split * kBlocks);
    const int64_t to_block = std::min(last_key(t, t.n_rows - 1) / kKvBlock, split * kBlocks + kBlocks - 1);
    KELDA_CHECK(to_block < static_cast<int64_t>(table.size()));
    for (int64_t b = from; b <= to_block; ++b) {
      const BlockId block = table[static_cast<std::size_t>(b)];
      KELDA_CHECK(block != kNoBlock);
      k[static_cast<std::size_t>(b % kBlocks)] = kv_.k(block, t.kv_head);
      v[static_cast<std::size_t>(b % kBlocks)] = kv_.v(block, t.kv_head);
    }
    kernels::AttentionArgs a;
    a.kv_type = kv_.type;
    a.head_dim = static_cast<int>(kv_.head_dim);
    a.softcap = softcap_;
    a.n_rows = t.n_rows;
    a.q = q.data();
    a.first_key = first.data();
    a.last_key = last.data();
    a.split = split;
    a.k_blocks = k.data();
    a.v_blocks = v.data();
    a.m = to.m;
    a.l = to.l;
    a.o = to.o;
    kernels_.attention(a);
  }

  // Merges one split into the rows' results so far (acc: m and l of the tile, O in `out`). Splits come in
  // ascending order.
  void merge(const Tile& t, int64_t split, const Partial& from, float* acc_m, float* acc_l) const {
    for (int64_t r = 0; r < t.n_rows; ++r) {
      const int64_t first_split = first_key(t, r) / kKvSplit;
      if (split < first_split || split > last_key(t, r) / kKvSplit) continue;
      const float* o = from.o + r * kv_.head_dim;
      float* acc = head(out_, t, r);
      if (split == first_split) {
        acc_m[r] = from.m[r];
        acc_l[r] = from.l[r];
        std::copy(o, o + kv_.head_dim, acc);
        continue;
      }
      const float m = std::max(acc_m[r], from.m[r]);
      const float old_scale = exp2_f32(acc_m[r] - m), new_scale = exp2_f32(from.m[r] - m);
      acc_m[r] = m;
      acc_l[r] = acc_l[r] * old_scale + from.l[r] * new_scale;
      for (int64_t d = 0; d < kv_.head_dim; ++d) acc[d] = acc[d] * old_scale + o[d] * new_scale;
    }
  }

  void divide(const Tile& t, const float* acc_l) const {
    for (int64_t r = 0; r < t.n_rows; ++r) {
      float* acc = head(out_, t, r);
      for (int64_t d = 0; d < kv_.head_dim; ++d) acc[d] /= acc_l[r];
    }
  }

 private:
  int64_t tiles_per_head(const BatchRun& run) const { return ceil_div(run.n_tokens * group_, tile_rows_); }
  int64_t last_key(const Tile& t, int64_t r) const {
    return t.run->first_pos + (kv_.causal ? (t.first_row + r) / group_ : t.run->n_tokens - 1);
  }
  int64_t first_key(const Tile& t, int64_t r) const {
    return kv_.window == 0 ? 0 : std::max<int64_t>(0, last_key(t, r) - kv_.window + 1);
  }
  template <typename T>
  T* head(Matrix<T> x, const Tile& t, int64_t r) const {
    const int64_t i = t.first_row + r;
    return x.row(t.run->first_row + i / group_) + (t.kv_head * group_ + i % group_) * kv_.head_dim;
  }

  const kernels::KernelTable& kernels_;
  const KvLayer& kv_;
  std::span<const BatchRun> runs_;
  int64_t group_;
  float softcap_;  // in the unit of the scores: those are in powers of two
  Matrix<const float> q_;
  Matrix<float> out_;
  int64_t tile_rows_ = kMaxTileRows;
};

void run_chained(Exec& exec, const Work& work, AttentionWorkspace& workspace) {
  const auto per_thread = static_cast<uint64_t>(round_up(static_cast<int64_t>(work.partial_floats()), 64));
  auto* memory = reinterpret_cast<float*>(
      workspace.reserve(static_cast<uint64_t>(exec.pool.n_threads()) * per_thread * sizeof(float)));
  exec.pool.run(work.n_tiles(), [&](int64_t i, int thread) {
    const Tile t = work.tile(i);
    const Partial partial = work.partial(memory + static_cast<uint64_t>(thread) * per_thread);
    std::array<float, kMaxTileRows> acc_m, acc_l;
    for (int64_t split = t.first_split; split <= t.last_split; ++split) {
      work.run_split(t, split, partial);
      work.merge(t, split, partial, acc_m.data(), acc_l.data());
    }
    work.divide(t, acc_l.data());
  });
}

// One unit per tile and split; `most` is the largest number of splits of a tile.
void run_split(Exec& exec, const Work& work, int64_t most, AttentionWorkspace& workspace) {
  const int64_t n_tiles = work.n_tiles();
  const int64_t counters = round_up(n_tiles, 64);
  const uint64_t unit = work.partial_floats();
  std::byte* memory = workspace.reserve(static_cast<uint64_t>(counters) * sizeof(int32_t) +
                                        static_cast<uint64_t>(n_tiles * most) * unit * sizeof(float));
  auto* done = reinterpret_cast<int32_t*>(memory);  // splits finished, per tile
  auto* partials = reinterpret_cast<float*>(done + counters);
  std::fill(done, done + n_tiles, 0);
  exec.pool.run(n_tiles * most, [&](int64_t i, int) {
    const int64_t index = i / most;
    const Tile t = work.tile(index);
    const int64_t split = t.first_split + i % most;
    if (split > t.last_split) return;
    float* const first = partials + static_cast<uint64_t>(index * most) * unit;
    const auto partial = [&](int64_t s) {
      return work.partial(first + static_cast<uint64_t>(s - t.first_split) * unit);
    };
    work.run_split(t, split, partial(split));
    if (std::atomic_ref(done[index]).fetch_add(1, std::memory_order_acq_rel) + 1 < work.n_splits(t)) return;
    std::array<float, kMaxTileRows> acc_m, acc_l;
    for (int64_t s = t.first_split; s <= t.last_split; ++s)
      work.merge(t, s, partial(s), acc_m.data(), acc_l.data());
    work.divide(t, acc_l.data());
  });
}

}  // namespace

std::byte* AttentionWorkspace::reserve(uint64_t bytes) {
  if (buffer_.size() < bytes) buffer_ = Buffer(std::max(bytes, 2 * buffer_.size()));
  return buffer_.data();
}

void store_kv(Exec& exec, const KvLayer& kv, std::span<const BatchRun> runs, Matrix<const float> k,
              Matrix<const float> v) {
  const int64_t width = kv.n_kv_heads * kv.head_dim;
  KELDA_CHECK(k.cols == width && v.cols == width && k.rows == v.rows);
  for (const BatchRun& run : runs) {
    KELDA_CHECK(run.n_tokens > 0 && run.first_row >= 0 && run.first_row + run.n_tokens <= k.rows);
    const auto table = run.sequence->blocks(kv.group);
    const int64_t end = run.first_pos + run.n_tokens, first_block = run.first_pos / kKvBlock;
    const int64_t n_blocks = ceil_div(end, kKvBlock) - first_block;
    KELDA_CHECK(first_block + n_blocks <= static_cast<int64_t>(table.size()));
    // A unit is one head of one block: two threads never write the same cache line.
    const double unit_ns = 1.0 * static_cast<double>(std::min<int64_t>(run.n_tokens, kKvBlock) * kv.head_dim);
    for_pieces(exec, n_blocks * kv.n_kv_heads, unit_ns, [&](int64_t first, int64_t count) {
      for (int64_t unit = first; unit < first + count; ++unit) {
        const int64_t b = first_block + unit / kv.n_kv_heads, h = unit % kv.n_kv_heads, at = h * kv.head_dim;
        const BlockId block = table[static_cast<std::size_t>(b)];
        KELDA_CHECK(block != kNoBlock);
        const int64_t from = std::max(run.first_pos, b * kKvBlock), to = std::min(end, (b + 1) * kKvBlock);
        for (int64_t pos = from; pos < to; ++pos) {
          const int64_t row = run.first_row + pos - run.first_pos;
          exec.kernels.store_kv(kv.type, k.row(row) + at, v.row(row) + at, static_cast<int>(kv.head_dim),
                                static_cast<int>(pos - b * kKvBlock), kv.k(block, h), kv.v(block, h));
        }
      }
    });
  }
}

void attention(Exec& exec, const KvLayer& kv, std::span<const BatchRun> runs, int64_t n_heads,
               ScoreRule scores, Matrix<float> q, AttentionWorkspace& workspace, Matrix<float> out) {
  KELDA_CHECK(kv.n_kv_heads > 0 && n_heads > 0 && n_heads % kv.n_kv_heads == 0);
  KELDA_CHECK(kv.head_dim > 0 && kv.head_dim % 16 == 0);
  KELDA_CHECK(kv.causal || kv.window == 0);
  KELDA_CHECK(q.cols == n_heads * kv.head_dim && out.cols == q.cols && out.rows == q.rows);
  for (const BatchRun& run : runs) {
    KELDA_CHECK(run.n_tokens > 0 && run.first_row >= 0 && run.first_row + run.n_tokens <= q.rows);
  }
  const float factor = scores.scale * kLog2E;
  for_pieces(exec, q.rows, 0.1 * static_cast<double>(q.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) {
      for (float& x : q.row_span(r)) x *= factor;
    }
  });

  const int n_threads = exec.pool.n_threads();
  const Work work(exec.kernels, kv, runs, n_heads, scores.softcap * kLog2E, q, out, n_threads);
  const int64_t n_tiles = work.n_tiles();
  int64_t total = 0, most = 0;
  for (int64_t i = 0; i < n_tiles; ++i) {
    const int64_t n = work.n_splits(work.tile(i));
    total += n;
    most = std::max(most, n);
  }
  // Chained where no tile is longer than a quarter of a thread's share.
  const uint64_t partial_bytes =
      static_cast<uint64_t>(n_tiles * most) * work.partial_floats() * sizeof(float);
  if (n_threads == 1 || most == 1 || most * 4 * n_threads <= total || partial_bytes > kMaxPartialBytes) {
    run_chained(exec, work, workspace);
  } else {
    run_split(exec, work, most, workspace);
  }
}

}  // namespace kelda::ops
