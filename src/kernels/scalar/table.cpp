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
      .add = scalar::add,
      .silu_mul = scalar::silu_mul,
      .rope = scalar::rope,
      .attention = scalar::attention,
      .store_kv = scalar::store_kv,
      .argmax = scalar::argmax,
  };
  return kTable;
}

}  // namespace kelda::kernels
