// Writing a token's key and value into a cache block, as a template over F, sixteen float lanes.
#pragma once

#include "base/half.h"
#include "kernels/kernel_table.h"

namespace kelda::kernels::vector {
namespace {

template <typename F, typename T>
inline void store_head(const float* k, const float* v, int head_dim, int slot, T* k_block,
                       T* v_block) noexcept {
  T* k_out = k_block + slot / 16 * head_dim * 16 + slot % 16;
  T* v_out = v_block + slot * head_dim;
  for (int d = 0; d < head_dim; d += 16) {
    alignas(64) T key[16];
    F::load(k + d).store(key);
    for (int i = 0; i < 16; ++i) k_out[(d + i) * 16] = key[i];
    F::load(v + d).store(v_out + d);
  }
}

template <typename F>
inline void store_kv(KvType type, const float* k, const float* v, int head_dim, int slot, std::byte* k_block,
                     std::byte* v_block) noexcept {
  if (type == KvType::kF32) {
    store_head<F>(k, v, head_dim, slot, reinterpret_cast<float*>(k_block), reinterpret_cast<float*>(v_block));
  } else {
    store_head<F>(k, v, head_dim, slot, reinterpret_cast<f16*>(k_block), reinterpret_cast<f16*>(v_block));
  }
}

}  // namespace
}  // namespace kelda::kernels::vector
