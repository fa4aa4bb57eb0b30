// Element by element: the residual sum and the gate of the feed-forward block.
#pragma once

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// x += y. Both [n_rows, n_cols].
void add(Exec& exec, Matrix<float> x, Matrix<const float> y);

// out = silu(gate) * up, silu(g) = g / (1 + e^−g). All [n_rows, n_cols]; out may be gate or up.
//   Numerics: kernels/kernel_table.h.   Source: Shazeer 2020 (arXiv 2002.05202), SwiGLU.
void silu_mul(Exec& exec, Matrix<const float> gate, Matrix<const float> up, Matrix<float> out);

}  // namespace kelda::ops
