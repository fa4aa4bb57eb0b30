// Products of weight matrices and activations.
#pragma once

#include <span>

#include "ops/activations.h"
#include "ops/exec.h"
#include "quant/packed_matrix.h"
#include "tensor/matrix.h"

namespace kelda::ops {

struct MatmulItem {
  const quant::PackedMatrix* w;  // [rows, cols]
  Matrix<float> y;               // [n_tokens, rows]
};

inline constexpr int kMaxMatmulItems = 8;

// y[t] = w · x[t] for every token t.
//   w: [rows, cols]   x: [n_tokens, cols], quantised if w's format is a quantised one   y: [n_tokens, rows]
//   Numerics: kernels/kernel_table.h; the result does not depend on the number of threads or tokens.
void matmul(Exec& exec, const quant::PackedMatrix& w, const Activations& x, Matrix<float> y);

// The same for several matrices with one input (Q, K and V; gate and up), in one parallel region. At most
// kMaxMatmulItems.
void matmul_many(Exec& exec, std::span<const MatmulItem> items, const Activations& x);

}  // namespace kelda::ops
