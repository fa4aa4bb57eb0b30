// The reference quantisation of activations to int8.
#pragma once

#include "kernels/kernel_table.h"

namespace kelda::kernels::scalar {

// KernelTable::quantize_row.
void quantize_row(const float* x, const QuantizedRows& out, int64_t row) noexcept;

}  // namespace kelda::kernels::scalar
