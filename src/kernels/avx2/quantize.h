// Quantisation of activations to int8 with AVX2.
#pragma once

#include "kernels/kernel_table.h"

namespace kelda::kernels::avx2 {

// KernelTable::quantize_row.
void quantize_row(const float* x, const QuantizedRows& out, int64_t row) noexcept;

}  // namespace kelda::kernels::avx2
