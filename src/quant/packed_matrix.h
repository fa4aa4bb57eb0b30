// A weight matrix in packed form: rows × cols, y = W x. LEARNED: made at load, const afterwards.
#pragma once

#include <cstdint>
#include <optional>

#include "quant/format.h"
#include "tensor/buffer.h"

namespace kelda::quant {

// Bytes of the packed form of rows × cols weights; nullopt where that does not fit in 63 bits.
std::optional<uint64_t> packed_bytes(const FormatSpec& format, int64_t rows, int64_t cols);

class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Reserves memory for the packed form; pack_groups() fills it. rows, cols > 0, cols a multiple of the
  // format's block size. Throws kOutOfMemory.
  PackedMatrix(const FormatSpec& format, int64_t rows, int64_t cols);

  const FormatSpec& format() const { return *format_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t n_groups() const { return n_groups_; }  // groups of 16 rows, the last one padded
  int64_t group_bytes() const { return group_bytes_; }
  uint64_t bytes() const { return data_.size(); }
  const std::byte* group(int64_t g) const { return data_.data() + g * group_bytes_; }

  // Packs row groups [first, first + count) from row-form rows: `rows` holds them one after the other,
  // starting with row 16 × first and ending at the matrix's last row or the range's. Ranges may be packed in
  // any order, by any threads.
  void pack_groups(int64_t first, int64_t count, const std::byte* rows) noexcept;

  // Row r as floats (cols of them): weight = scale * code + min, unfused.
  void unpack_row(int64_t r, float* out) const noexcept;

 private:
  const FormatSpec* format_ = nullptr;
  int64_t rows_ = 0, cols_ = 0, n_groups_ = 0, group_bytes_ = 0;
  Buffer data_;
};

}  // namespace kelda::quant
