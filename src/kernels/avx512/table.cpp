#include "kernels/vector/table.h"

#include "kernels/avx2/quantize.h"
#include "kernels/avx512/lanes.h"
#include "kernels/fast_matmul.h"

// Files here export plain functions only and no weak symbol, so that the linker can never pick their code for
// a machine without these instructions: scripts/check_isa.sh.
namespace kelda::kernels {

const KernelTable& avx512_table() {
  static constexpr KernelTable kTable =
      vector::table<avx512::F32x16>("avx512", avx512::matmul, avx512::is_native, avx2::quantize_row);
  return kTable;
}

}  // namespace kelda::kernels
