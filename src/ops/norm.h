// Root-mean-square normalisation.
#pragma once

#include <span>

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// y = x / sqrt(mean(x²) + eps) * w, row by row.
//   x, y: [n_rows, hidden_size], may be the same;  w: [hidden_size].
//   Numerics: kernels/kernel_table.h.   Source: Zhang and Sennrich 2019 (arXiv 1910.07467), eq. 4.
void rms_norm(Exec& exec, Matrix<const float> x, std::span<const float> w, float eps, Matrix<float> y);

}  // namespace kelda::ops
