#include "quant/packed_matrix.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"

namespace kelda::quant {
namespace {

uint64_t require_bytes(const FormatSpec& format, int64_t rows, int64_t cols) {
  KELDA_CHECK(rows > 0 && cols > 0 && cols % format.block_size == 0);
  const auto bytes = packed_bytes(format, rows, cols);
  if (!bytes) {
    fail(ErrorCode::kOutOfMemory, "a matrix of {} x {} {} weights does not fit in memory", rows, cols,
         format.name);
  }
  return *bytes;
}

}  // namespace

std::optional<uint64_t> packed_bytes(const FormatSpec& format, int64_t rows, int64_t cols) {
  KELDA_CHECK(rows >= 0 && cols >= 0);
  const auto units = [](int64_t n, int unit) {
    return static_cast<uint64_t>(n / unit) + static_cast<uint64_t>(n % unit != 0);
  };
  const auto group = checked_mul(units(cols, format.unit_k), static_cast<uint64_t>(format.unit_bytes));
  const auto all = group ? checked_mul(units(rows, kLanes), *group) : std::nullopt;
  return all && *all <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? all : std::nullopt;
}

PackedMatrix::PackedMatrix(const FormatSpec& format, int64_t rows, int64_t cols)
    : format_(&format), rows_(rows), cols_(cols), data_(require_bytes(format, rows, cols)) {
  n_groups_ = ceil_div(rows, kLanes);
  group_bytes_ = ceil_div(cols, format.unit_k) * format.unit_bytes;
}

void PackedMatrix::pack_groups(int64_t first, int64_t count, const std::byte* rows) noexcept {
  const int64_t bytes = row_bytes(*format_, cols_);
  for (int64_t g = first; g < first + count; ++g) {
    const std::byte* lane[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      const int64_t row = g * kLanes + i;
      lane[i] = row < rows_ ? rows + (row - first * kLanes) * bytes : nullptr;
    }
    format_->pack(lane, cols_, data_.data() + g * group_bytes_);
  }
}

void PackedMatrix::unpack_row(int64_t r, float* out) const noexcept {
  const std::byte* g = group(r / kLanes);
  const int lane = static_cast<int>(r % kLanes);
  if (!format_->quantized) {
    for (int64_t k = 0; k < cols_; ++k) out[k] = format_->value(g, k, lane);
    return;
  }
  DecodedBlock block;
  for (int64_t k = 0; k < cols_; k += kActBlock) {
    format_->decode(g, k / kActBlock, lane, block);
    const int64_t n = std::min<int64_t>(kActBlock, cols_ - k);
    for (int64_t i = 0; i < n; ++i) {
      out[k + i] = weight(*format_, block, static_cast<int>(i));
    }
  }
}

}  // namespace kelda::quant
