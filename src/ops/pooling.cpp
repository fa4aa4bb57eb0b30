#include "ops/pooling.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "ops/rows.h"

namespace kelda::ops {
namespace {

constexpr int64_t kColumns = 64;  // summed at a time, so that the sums need no memory of their own
constexpr double kShortest = 1e-12;

void mean(Matrix<const float> x, const BatchRun& run, float* out) {
  for (int64_t col = 0; col < x.cols; col += kColumns) {
    const int64_t n = std::min(kColumns, x.cols - col);
    double sum[kColumns] = {};
    for (int64_t r = run.first_row; r < run.first_row + run.n_tokens; ++r) {
      const float* row = x.row(r) + col;
      for (int64_t i = 0; i < n; ++i) sum[i] += double{row[i]};
    }
    for (int64_t i = 0; i < n; ++i)
      out[col + i] = static_cast<float>(sum[i] / static_cast<double>(run.n_tokens));
  }
}

void check_runs(Matrix<const float> x, std::span<const BatchRun> runs, Matrix<float> out) {
  KELDA_CHECK(out.rows == static_cast<int64_t>(runs.size()) && out.cols == x.cols);
  for (const BatchRun& run : runs) {
    KELDA_CHECK(run.n_tokens > 0 && run.first_row >= 0 && run.first_row + run.n_tokens <= x.rows);
  }
}

}  // namespace

void mean_rows(Exec& exec, Matrix<const float> x, std::span<const BatchRun> runs, Matrix<float> out) {
  check_runs(x, runs, out);
  exec.pool.run(out.rows, [&](int64_t i, int) { mean(x, runs[static_cast<std::size_t>(i)], out.row(i)); });
}

void first_rows(Exec&, Matrix<const float> x, std::span<const BatchRun> runs, Matrix<float> out) {
  check_runs(x, runs, out);
  for (int64_t i = 0; i < out.rows; ++i) {
    std::copy_n(x.row(runs[static_cast<std::size_t>(i)].first_row), x.cols, out.row(i));
  }
}

void normalize_rows(Exec& exec, Matrix<float> x) {
  for_pieces(exec, x.rows, 2.0 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) {
      double squares = 0;
      for (const float v : x.row_span(r)) squares += double{v} * double{v};
      const double length = std::max(std::sqrt(squares), kShortest);
      for (float& v : x.row_span(r)) v = static_cast<float>(double{v} / length);
    }
  });
}

}  // namespace kelda::ops
