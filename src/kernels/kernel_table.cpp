#include "kernels/kernel_table.h"

#include "kernels/avx2/kernels.h"
#include "kernels/avx512/kernels.h"

namespace kelda::kernels {
namespace {

const MatmulKernel* find(std::span<const MatmulKernel* const> kernels,
                         const quant::FormatSpec& format) noexcept {
  for (const MatmulKernel* kernel : kernels) {
    if (kernel->format == format.name) return kernel;
  }
  return nullptr;
}

}  // namespace

// Here and not in the instruction sets' folders: walking a span instantiates library templates, which a file
// with their instructions must not export.
const MatmulKernel* avx2::find_matmul_kernel(const quant::FormatSpec& format) noexcept {
  return find(matmul_kernels(), format);
}
const MatmulKernel* avx512::find_matmul_kernel(const quant::FormatSpec& format) noexcept {
  return find(matmul_kernels(), format);
}

const KernelTable& table_of(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512_table();
    case Isa::kAvx2:
      return avx2_table();
    case Isa::kScalar:
      break;
  }
  return scalar_table();
}

}  // namespace kelda::kernels
