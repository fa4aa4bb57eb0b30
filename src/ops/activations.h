// The input of matrix products: rows of floats and, where a weight format wants them, the same rows
// quantised. Made once and used by every product that shares the input. STATE: memory grows to the largest
// input and is kept.
#pragma once

#include <cstdint>

#include "kernels/kernel_table.h"
#include "ops/exec.h"
#include "tensor/buffer.h"
#include "tensor/matrix.h"

namespace kelda::ops {

class Activations {
 public:
  // Makes room for inputs up to max_rows × max_cols, so that set() of those need not allocate.
  void reserve(int64_t max_rows, int64_t max_cols);

  // Takes x [n_tokens, cols] as the input, and quantises it if `quantize`. x is not copied: it must stay as
  // it is until the last product is done.   Numerics: kernels/kernel_table.h.   Throws kOutOfMemory beyond
  // what was reserved.
  void set(Exec& exec, Matrix<const float> x, bool quantize);

  Matrix<const float> floats() const { return x_; }
  bool quantized() const { return quantized_; }
  const kernels::QuantizedRows& rows() const { return rows_; }
  uint64_t bytes() const { return memory_.size(); }

 private:
  // Lays rows_ out in memory_ (not, if that is null, and only counts). Returns the bytes needed.
  static uint64_t lay_out(int64_t n_rows, int64_t cols, std::byte* memory, kernels::QuantizedRows& rows);

  Matrix<const float> x_;
  bool quantized_ = false;
  kernels::QuantizedRows rows_;
  Buffer memory_;
};

}  // namespace kelda::ops
