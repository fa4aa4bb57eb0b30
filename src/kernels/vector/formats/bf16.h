// BF16 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"

namespace kelda::kernels::vector::bf16 {
namespace {

template <typename L>
struct Matmul {
  using F = typename L::F;
  using I = typename L::I;
  static constexpr bool kIsFloat = true;
  static constexpr int kColumnBytes = 32;

  static F load(const std::byte* p) { return I::load_u16(p).left(16).as_floats(); }
};

}  // namespace
}  // namespace kelda::kernels::vector::bf16
