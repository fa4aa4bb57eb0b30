#include "ops/matmul.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked.h"
#include "base/cpu.h"

namespace kelda::ops {
namespace {

using quant::kLanes;

constexpr int64_t kBlockBytes = 192 * 1024;         // of activations that are kept in the second-level cache
constexpr int64_t kMinBlock = 16, kMaxBlock = 128;  // tokens; multiples of the kernels' tiles
constexpr int64_t kMinJobMacs = 256 * 1024;  // a few microseconds: less is not worth handing to a thread
constexpr int64_t kJobsPerThread = 8;        // so that the last jobs end together

// How one item is cut: into blocks of tokens, and those into ranges of row groups. A job is one of each.
struct Cut {
  int64_t block = 0;  // tokens
  int64_t n_blocks = 0;
  int64_t n_ranges = 0;
  int64_t end_job = 0;  // jobs of this item and of those before it
};

int64_t macs(const MatmulItem& item) { return item.w->n_groups() * kLanes * item.w->cols() * item.y.rows; }

Cut cut(const MatmulItem& item, int64_t job_macs) {
  Cut c;
  const int64_t n_tokens = item.y.rows;
  const int64_t token_bytes =
      item.w->cols() * (item.w->format().quantized ? 1 : static_cast<int64_t>(sizeof(float)));
  const int64_t fitting = std::clamp(kBlockBytes / token_bytes / kMinBlock * kMinBlock, kMinBlock, kMaxBlock);
  c.n_blocks = ceil_div(n_tokens, fitting);
  c.block = round_up(ceil_div(n_tokens, c.n_blocks), 4);  // as equal as whole tiles allow
  c.n_blocks = ceil_div(n_tokens, c.block);
  const int64_t group_macs = kLanes * item.w->cols() * std::min(c.block, n_tokens);
  c.n_ranges =
      std::clamp<int64_t>(ceil_div(item.w->n_groups() * group_macs, job_macs), 1, item.w->n_groups());
  return c;
}

void run_job(const Exec& exec, const MatmulItem& item, const Activations& x, const Cut& c, int64_t job) {
  const quant::PackedMatrix& w = *item.w;
  // Consecutive jobs are consecutive ranges of rows: together the threads read the weights once, in order.
  const int64_t range = job % c.n_ranges, first_token = job / c.n_ranges * c.block;
  const int64_t first = w.n_groups() * range / c.n_ranges, end = w.n_groups() * (range + 1) / c.n_ranges;
  exec.kernels.matmul(w.format())({.format = &w.format(),
                                   .w = w.group(first),
                                   .group_bytes = w.group_bytes(),
                                   .n_groups = end - first,
                                   .n_rows = std::min(end * kLanes, w.rows()) - first * kLanes,
                                   .cols = w.cols(),
                                   .first_token = first_token,
                                   .n_tokens = std::min(c.block, item.y.rows - first_token),
                                   .x = &x.rows(),
                                   .x_f32 = x.floats().data,
                                   .x_stride = x.floats().row_stride,
                                   .y = item.y.data + first * kLanes,
                                   .y_stride = item.y.row_stride});
}

}  // namespace

void matmul_many(Exec& exec, std::span<const MatmulItem> items, const Activations& x) {
  const FloatEnvironment rounding;  // for what runs inline; the pool's threads have theirs
  KELDA_CHECK(items.size() <= kMaxMatmulItems);
  int64_t total = 0;
  for (const MatmulItem& item : items) {
    KELDA_CHECK(item.w->cols() == x.floats().cols && item.y.cols == item.w->rows());
    KELDA_CHECK(item.y.rows == x.floats().rows);
    KELDA_CHECK(x.quantized() || !item.w->format().quantized);
    total += macs(item);
  }
  if (total == 0) return;
  const int64_t job_macs = std::max(kMinJobMacs, ceil_div(total, exec.pool.n_threads() * kJobsPerThread));
  Cut cuts[kMaxMatmulItems];
  int64_t n_jobs = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    cuts[i] = cut(items[i], job_macs);
    n_jobs += cuts[i].n_blocks * cuts[i].n_ranges;
    cuts[i].end_job = n_jobs;
  }
  const auto run = [&](int64_t job, int) {
    std::size_t i = 0;
    while (job >= cuts[i].end_job) ++i;
    run_job(exec, items[i], x, cuts[i], job - (i == 0 ? 0 : cuts[i - 1].end_job));
  };
  if (exec.pool.n_threads() == 1 || total <= kMinJobMacs / 2) {
    for (int64_t job = 0; job < n_jobs; ++job) run(job, 0);
  } else {
    exec.pool.run(n_jobs, run);
  }
}

void matmul(Exec& exec, const quant::PackedMatrix& w, const Activations& x, Matrix<float> y) {
  const MatmulItem item = {&w, y};
  matmul_many(exec, {&item, 1}, x);
}

}  // namespace kelda::ops
