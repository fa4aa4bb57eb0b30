// Element by element: sums, factors, caps and the activations of the feed-forward block.
#pragma once

#include <span>

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// x += y. Both [n_rows, n_cols].
void add(Exec& exec, Matrix<float> x, Matrix<const float> y);

// x += b, the same for every row: x: [n_rows, n_cols], b: [n_cols].
void add_bias(Exec& exec, Matrix<float> x, std::span<const float> b);

// x *= factor.
void scale(Exec& exec, Matrix<float> x, float factor);

// x = cap · tanh(x / cap), cap > 0: nearly x where it is small, never beyond the cap.
//   Source: Gemma Team 2024 (arXiv 2408.00118), section 2.
void softcap(Exec& exec, Matrix<float> x, float cap);

// out = silu(gate) * up, silu(g) = g / (1 + e^−g). All [n_rows, n_cols]; out may be gate or up.
//   Numerics: kernels/kernel_table.h.   Source: Shazeer 2020 (arXiv 2002.05202), SwiGLU.
void silu_mul(Exec& exec, Matrix<const float> gate, Matrix<const float> up, Matrix<float> out);

// The same with gelu(g) = ½ g (1 + tanh(√(2/π) (g + 0.044715 g³))); then x = gelu(x) alone.
//   Source: Hendrycks and Gimpel 2016 (arXiv 1606.08415), section 2.
void gelu_mul(Exec& exec, Matrix<const float> gate, Matrix<const float> up, Matrix<float> out);
void gelu(Exec& exec, Matrix<float> x);

// x = ½ x (1 + erf(x / √2)): the function that the one above approximates.
void gelu_exact(Exec& exec, Matrix<float> x);

}  // namespace kelda::ops
