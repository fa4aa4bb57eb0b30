#include "kernels/scalar/kernels.h"
#include "kernels/scalar/matmul.h"
#include "kernels/scalar/quantize.h"

namespace kelda::kernels {

const KernelTable& scalar_table() {
  static constexpr KernelTable kTable = {
      .name = "scalar",
      .matmul = [](const quant::FormatSpec&) noexcept -> MatmulFn { return scalar::matmul; },
      .is_native = [](const quant::FormatSpec&) noexcept { return false; },
      .quantize_row = scalar::quantize_row,
      .rms_norm = scalar::rms_norm,
      .layer_norm = scalar::layer_norm,
      .add = scalar::add,
      .add_scaled = scalar::add_scaled,
      .scale = scalar::scale,
      .softcap = scalar::softcap,
      .silu_mul = scalar::silu_mul,
      .gelu_mul = scalar::gelu_mul,
      .gelu = scalar::gelu,
      .gelu_exact = scalar::gelu_exact,
      .rope = scalar::rope,
      .attention = scalar::attention,
      .store_kv = scalar::store_kv,
      .argmax = scalar::argmax,
  };
  return kTable;
}

}  // namespace kelda::kernels
