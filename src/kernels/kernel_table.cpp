#include "kernels/kernel_table.h"

#include "kernels/avx2/kernels.h"

namespace kelda::kernels {

// Here and not in avx2/: walking a span instantiates library templates, which a file with AVX2 instructions
// must not export.
const MatmulKernel* avx2::find_matmul_kernel(const quant::FormatSpec& format) noexcept {
  for (const MatmulKernel* kernel : matmul_kernels()) {
    if (kernel->format == format.name) return kernel;
  }
  return nullptr;
}

}  // namespace kelda::kernels
