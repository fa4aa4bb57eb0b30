#include "ops/activations.h"

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "ops/rows.h"

namespace kelda::ops {
namespace {

constexpr int64_t kAlignment = 64;

// The next n numbers of type T, on a line of their own.
template <typename T>
T* take(std::byte* memory, uint64_t& used, int64_t n) {
  T* start = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + used);
  used += static_cast<uint64_t>(round_up(n * static_cast<int64_t>(sizeof(T)), kAlignment));
  return start;
}

}  // namespace

uint64_t Activations::lay_out(int64_t n_rows, int64_t cols, std::byte* memory, kernels::QuantizedRows& rows) {
  uint64_t used = 0;
  rows.cols = cols;
  rows.stride = round_up(cols, kAlignment);
  rows.n_blocks = ceil_div(cols, quant::kActBlock);
  rows.max_outliers = kernels::max_outliers(cols);
  rows.q = take<int8_t>(memory, used, n_rows * rows.stride);
  rows.scale = take<float>(memory, used, n_rows * rows.n_blocks);
  rows.sum = take<int32_t>(memory, used, n_rows * rows.n_blocks);
  rows.n_outliers = take<int32_t>(memory, used, n_rows);
  rows.outlier_k = take<int32_t>(memory, used, n_rows * rows.max_outliers);
  rows.outlier_x = take<float>(memory, used, n_rows * rows.max_outliers);
  return used;
}

void Activations::reserve(int64_t max_rows, int64_t max_cols) {
  KELDA_CHECK(max_rows >= 0 && max_cols >= 0);
  // Far above any need, and small enough that no sum below overflows.
  const auto elements = checked_mul(static_cast<uint64_t>(max_rows), static_cast<uint64_t>(max_cols));
  if (!elements || *elements > (uint64_t{1} << 48)) {
    fail(ErrorCode::kOutOfMemory, "{} x {} activations do not fit in memory", max_rows, max_cols);
  }
  kernels::QuantizedRows rows;
  const uint64_t bytes = lay_out(max_rows, max_cols, nullptr, rows);
  if (bytes <= memory_.size()) return;
  rows_ = {};
  quantized_ = false;
  memory_ = Buffer();  // the old memory goes before the new is asked for
  memory_ = Buffer(bytes);
}

void Activations::set(Exec& exec, Matrix<const float> x, bool quantize) {
  KELDA_CHECK(x.rows >= 0 && x.cols > 0 && x.row_stride >= x.cols);
  x_ = x;
  quantized_ = false;
  if (!quantize) return;
  reserve(x.rows, x.cols);
  lay_out(x.rows, x.cols, memory_.data(), rows_);
  quantized_ = true;
  for_pieces(exec, x.rows, 0.2 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t r = first; r < first + count; ++r) exec.kernels.quantize_row(x_.row(r), rows_, r);
  });
}

}  // namespace kelda::ops
