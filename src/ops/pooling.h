// From the vectors of a text's tokens to one of the text.
#pragma once

#include <span>

#include "ops/exec.h"
#include "state/batch.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// out[i] = the mean of the rows of runs[i], or the first of them.
//   x: [n_rows, cols]   out: [runs.size(), cols]   Checks: each run has a row.
//   Numerics: Σ in double, rows ascending; divided by their number in double and rounded once.
void mean_rows(Exec& exec, Matrix<const float> x, std::span<const BatchRun> runs, Matrix<float> out);
void first_rows(Exec& exec, Matrix<const float> x, std::span<const BatchRun> runs, Matrix<float> out);

// Every row becomes x / √Σ x²; one whose length is below 1e-12 is divided by that instead.
//   Numerics: Σ in double, columns ascending; root and quotient in double, rounded once.
void normalize_rows(Exec& exec, Matrix<float> x);

}  // namespace kelda::ops
