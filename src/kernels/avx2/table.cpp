#include "kernels/avx2/kernels.h"
#include "kernels/avx2/quantize.h"
#include "kernels/scalar/matmul.h"

namespace kelda::kernels {
namespace {

MatmulFn matmul(const quant::FormatSpec& format) noexcept {
  const MatmulKernel* kernel = avx2::find_matmul_kernel(format);
  return kernel == nullptr ? scalar::matmul : kernel->run;
}

bool is_native(const quant::FormatSpec& format) noexcept {
  return avx2::find_matmul_kernel(format) != nullptr;
}

}  // namespace

const KernelTable& avx2_table() {
  static constexpr KernelTable kTable = {
      .name = "avx2",
      .matmul = matmul,
      .is_native = is_native,
      .quantize_row = avx2::quantize_row,
      .rms_norm = avx2::rms_norm,
      .layer_norm = avx2::layer_norm,
      .add = avx2::add,
      .add_scaled = avx2::add_scaled,
      .scale = avx2::scale,
      .softcap = avx2::softcap,
      .silu_mul = avx2::silu_mul,
      .gelu_mul = avx2::gelu_mul,
      .gelu = avx2::gelu,
      .gelu_exact = avx2::gelu_exact,
      .rope = avx2::rope,
      .attention = avx2::attention,
      .store_kv = avx2::store_kv,
      .argmax = avx2::argmax,
  };
  return kTable;
}

}  // namespace kelda::kernels
