#include "base/half.h"
#include "kernels/scalar/kernels.h"

namespace kelda::kernels::scalar {
namespace {

constexpr int kGroup = 16;  // tokens side by side in a K block

void keep(float x, float& out) { out = x; }
void keep(float x, f16& out) { out = to_f16(x); }

template <typename T>
void store(const float* k, const float* v, int head_dim, int slot, T* k_block, T* v_block) {
  T* k_out = k_block + slot / kGroup * head_dim * kGroup + slot % kGroup;
  T* v_out = v_block + slot * head_dim;
  for (int d = 0; d < head_dim; ++d) {
    keep(k[d], k_out[d * kGroup]);
    keep(v[d], v_out[d]);
  }
}

}  // namespace

void store_kv(KvType type, const float* k, const float* v, int head_dim, int slot, std::byte* k_block,
              std::byte* v_block) noexcept {
  if (type == KvType::kF32) {
    store(k, v, head_dim, slot, reinterpret_cast<float*>(k_block), reinterpret_cast<float*>(v_block));
  } else {
    store(k, v, head_dim, slot, reinterpret_cast<f16*>(k_block), reinterpret_cast<f16*>(v_block));
  }
}

}  // namespace kelda::kernels::scalar
