// Normalisation of rows: by the root of the mean square, and by mean and deviation.
#pragma once

#include <span>

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// y = x / sqrt(mean(x²) + eps) * w, row by row.
//   x, y: [n_rows, hidden_size], may be the same;  w: [hidden_size].
//   Numerics: kernels/kernel_table.h.   Source: Zhang and Sennrich 2019 (arXiv 1910.07467), eq. 4.
void rms_norm(Exec& exec, Matrix<const float> x, std::span<const float> w, float eps, Matrix<float> y);

// The same in place for every head of every row: w: [head_dim], x: [n_rows, n_heads × head_dim].
void rms_norm_heads(Exec& exec, Matrix<float> x, std::span<const float> w, float eps);

// y = (x − mean(x)) / sqrt(variance(x) + eps) * w + b, row by row.
//   x, y: [n_rows, hidden_size], may be the same;  w, b: [hidden_size].
//   Numerics: kernels/kernel_table.h.   Source: Ba et al. 2016 (arXiv 1607.06450), eq. 4.
void layer_norm(Exec& exec, Matrix<const float> x, std::span<const float> w, std::span<const float> b,
                float eps, Matrix<float> y);

}  // namespace kelda::ops
