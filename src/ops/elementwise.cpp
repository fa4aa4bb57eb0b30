#include "ops/elementwise.h"

#include "ops/rows.h"

namespace kelda::ops {
namespace {

constexpr int64_t kSegment = 512;  // columns; even one long row is shared among threads

// Calls body(row, first column, columns) over every segment of every row.
template <typename Body>
void for_segments(Exec& exec, int64_t rows, int64_t cols, double element_ns, const Body& body) {
  const int64_t per_row = ceil_div(cols, kSegment);
  for_pieces(exec, rows * per_row, element_ns * kSegment, [&](int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      const int64_t col = i % per_row * kSegment;
      body(i / per_row, col, std::min(kSegment, cols - col));
    }
  });
}

}  // namespace

void add(Exec& exec, Matrix<float> x, Matrix<const float> y) {
  KELDA_CHECK(x.rows == y.rows && x.cols == y.cols);
  for_segments(exec, x.rows, x.cols, 0.1, [&](int64_t row, int64_t col, int64_t n) {
    exec.kernels.add(x.row(row) + col, y.row(row) + col, n);
  });
}

void add_bias(Exec& exec, Matrix<float> x, std::span<const float> b) {
  KELDA_CHECK(static_cast<int64_t>(b.size()) == x.cols);
  for_segments(exec, x.rows, x.cols, 0.1, [&](int64_t row, int64_t col, int64_t n) {
    exec.kernels.add(x.row(row) + col, b.data() + col, n);
  });
}

void scale(Exec& exec, Matrix<float> x, float factor) {
  for_segments(exec, x.rows, x.cols, 0.1,
               [&](int64_t row, int64_t col, int64_t n) { exec.kernels.scale(x.row(row) + col, factor, n); });
}

void softcap(Exec& exec, Matrix<float> x, float cap) {
  KELDA_CHECK(cap > 0);
  for_segments(exec, x.rows, x.cols, 0.8,
               [&](int64_t row, int64_t col, int64_t n) { exec.kernels.softcap(x.row(row) + col, cap, n); });
}

void gelu_mul(Exec& exec, Matrix<const float> gate, Matrix<const float> up, Matrix<float> out) {
  KELDA_CHECK(gate.rows == up.rows && gate.cols == up.cols && out.rows == up.rows && out.cols == up.cols);
  for_segments(exec, out.rows, out.cols, 0.6, [&](int64_t row, int64_t col, int64_t n) {
    exec.kernels.gelu_mul(gate.row(row) + col, up.row(row) + col, n, out.row(row) + col);
  });
}

void gelu(Exec& exec, Matrix<float> x) {
  for_segments(exec, x.rows, x.cols, 0.6,
               [&](int64_t row, int64_t col, int64_t n) { exec.kernels.gelu(x.row(row) + col, n); });
}

void gelu_exact(Exec& exec, Matrix<float> x) {
  for_segments(exec, x.rows, x.cols, 0.8,
               [&](int64_t row, int64_t col, int64_t n) { exec.kernels.gelu_exact(x.row(row) + col, n); });
}

void silu_mul(Exec& exec, Matrix<const float> gate, Matrix<const float> up, Matrix<float> out) {
  KELDA_CHECK(gate.rows == up.rows && gate.cols == up.cols && out.rows == up.rows && out.cols == up.cols);
  for_segments(exec, out.rows, out.cols, 0.6, [&](int64_t row, int64_t col, int64_t n) {
    exec.kernels.silu_mul(gate.row(row) + col, up.row(row) + col, n, out.row(row) + col);
  });
}

}  // namespace kelda::ops
