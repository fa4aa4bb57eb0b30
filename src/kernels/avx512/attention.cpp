#include "kernels/vector/attention.h"

#include "kernels/avx512/kernels.h"
#include "kernels/avx512/lanes.h"
#include "kernels/vector/store_kv.h"

namespace kelda::kernels::avx512 {

void attention(const AttentionArgs& a) noexcept { vector::attention<F32x16>(a); }

void store_kv(KvType type, const float* k, const float* v, int head_dim, int slot, std::byte* k_block,
              std::byte* v_block) noexcept {
  vector::store_kv<F32x16>(type, k, v, head_dim, slot, k_block, v_block);
}

}  // namespace kelda::kernels::avx512
