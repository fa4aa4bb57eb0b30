// KernelTable::matmul and is_native of the instruction sets: the fast kernel for a format, or the reference.
// Their code is for every machine: it looks a kernel up and runs none.
#pragma once

#include "kernels/kernel_table.h"

namespace kelda::kernels {
namespace avx2 {
MatmulFn matmul(const quant::FormatSpec& format) noexcept;
bool is_native(const quant::FormatSpec& format) noexcept;
}  // namespace avx2
namespace avx512 {
MatmulFn matmul(const quant::FormatSpec& format) noexcept;
bool is_native(const quant::FormatSpec& format) noexcept;
}  // namespace avx512
}  // namespace kelda::kernels
