#include "kernels/avx2/quantize.h"
#include "kernels/avx512/kernels.h"
#include "kernels/scalar/matmul.h"

namespace kelda::kernels {
namespace {

MatmulFn matmul(const quant::FormatSpec& format) noexcept {
  const MatmulKernel* kernel = avx512::find_matmul_kernel(format);
  return kernel == nullptr ? scalar::matmul : kernel->run;
}

bool is_native(const quant::FormatSpec& format) noexcept {
  return avx512::find_matmul_kernel(format) != nullptr;
}

}  // namespace

const KernelTable& avx512_table() {
  static constexpr KernelTable kTable = {
      .name = "avx512",
      .matmul = matmul,
      .is_native = is_native,
      .quantize_row = avx2::quantize_row,
      .rms_norm = avx512::rms_norm,
      .layer_norm = avx512::layer_norm,
      .add = avx512::add,
      .add_scaled = avx512::add_scaled,
      .scale = avx512::scale,
      .softcap = avx512::softcap,
      .silu_mul = avx512::silu_mul,
      .gelu_mul = avx512::gelu_mul,
      .gelu = avx512::gelu,
      .gelu_exact = avx512::gelu_exact,
      .rope = avx512::rope,
      .attention = avx512::attention,
      .store_kv = avx512::store_kv,
      .argmax = avx512::argmax,
  };
  return kTable;
}

}  // namespace kelda::kernels
