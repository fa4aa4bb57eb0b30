// Views: they never own, and never outlive the call they are passed to. Row-major, last dimension contiguous.
#pragma once

#include <cstdint>
#include <span>

#include "base/check.h"

namespace kelda {

template <typename T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0, cols = 0;
  int64_t row_stride = 0;  // elements between the starts of two rows, ≥ cols

  Matrix() = default;
  Matrix(T* d, int64_t r, int64_t c) : data(d), rows(r), cols(c), row_stride(c) {}
  Matrix(T* d, int64_t r, int64_t c, int64_t stride) : data(d), rows(r), cols(c), row_stride(stride) {}
  operator Matrix<const T>() const { return {data, rows, cols, row_stride}; }

  T* row(int64_t i) const { return data + i * row_stride; }
  std::span<T> row_span(int64_t i) const { return {row(i), static_cast<std::size_t>(cols)}; }
  Matrix row_range(int64_t first, int64_t count) const {
    KELDA_CHECK(first >= 0 && count >= 0 && first + count <= rows);
    return {row(first), count, cols, row_stride};
  }
  Matrix col_range(int64_t first, int64_t count) const {
    KELDA_CHECK(first >= 0 && count >= 0 && first + count <= cols);
    return {data + first, rows, count, row_stride};
  }
};

}  // namespace kelda
