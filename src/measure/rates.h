// How fast the kernels multiply where memory is no limit: on data that the processor's caches hold.
#pragma once

#include <cstdint>
#include <memory>

#include "ops/exec.h"
#include "quant/format.h"
#include "tensor/kv_type.h"

namespace kelda::measure {

// Multiply-adds per second of matrix products, on all threads.
class MatmulRate {
 public:
  // Of `n_tokens` tokens and a matrix of that format. The pool outlives it. Throws kOutOfMemory.
  MatmulRate(Exec exec, const quant::FormatSpec& format, int64_t n_tokens);
  ~MatmulRate();
  MatmulRate(MatmulRate&&) noexcept;
  // Over about 2 ms.
  double pass();

 private:
  struct Work;
  Exec exec_;
  std::unique_ptr<Work> work_;
};

// The same of attention: one token of one sequence, scores and sums both counted.
class AttentionRate {
 public:
  AttentionRate(Exec exec, KvType type, int64_t n_heads, int64_t n_kv_heads, int64_t head_dim);
  ~AttentionRate();
  double pass();

 private:
  struct Work;
  Exec exec_;
  std::unique_ptr<Work> work_;
};

// What it takes to hand work to all threads and to have it back, in seconds.
double region_seconds(ThreadPool& pool);

}  // namespace kelda::measure
