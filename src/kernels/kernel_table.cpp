#include "kernels/kernel_table.h"

#include "kernels/fast_matmul.h"
#include "kernels/scalar/matmul.h"

namespace kelda::kernels {
namespace {

using MatmulKernels = std::span<const MatmulKernel* const>;

const MatmulKernel* find(MatmulKernels kernels, const quant::FormatSpec& format) noexcept {
  for (const MatmulKernel* kernel : kernels) {
    if (kernel->format == format.name) return kernel;
  }
  return nullptr;
}
MatmulFn find_or_reference(MatmulKernels kernels, const quant::FormatSpec& format) noexcept {
  const MatmulKernel* kernel = find(kernels, format);
  return kernel == nullptr ? scalar::matmul : kernel->run;
}

}  // namespace

// Here and not in the instruction sets' folders: walking a span instantiates library templates, which a file
// with their instructions must not export.
MatmulFn avx2::matmul(const quant::FormatSpec& format) noexcept {
  return find_or_reference(matmul_kernels(), format);
}
bool avx2::is_native(const quant::FormatSpec& format) noexcept {
  return find(matmul_kernels(), format) != nullptr;
}
MatmulFn avx512::matmul(const quant::FormatSpec& format) noexcept {
  return find_or_reference(matmul_kernels(), format);
}
bool avx512::is_native(const quant::FormatSpec& format) noexcept {
  return find(matmul_kernels(), format) != nullptr;
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
