// The reference matmul: the contract of kernels/kernel_table.h, written as plainly as it reads.
#pragma once

#include "kernels/kernel_table.h"

namespace kelda::kernels::scalar {

// Any format, quantised or float. Every fast matmul equals it bit for bit.
void matmul(const MatmulArgs& a) noexcept;

}  // namespace kelda::kernels::scalar
