// F32 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"

namespace kelda::kernels::vector::f32 {
namespace {

template <typename L>
struct Matmul {
  using F = typename L::F;
  static constexpr bool kIsFloat = true;
  static constexpr int kColumnBytes = 64;

  static F load(const std::byte* p) { return F::load(reinterpret_cast<const float*>(p)); }
};

}  // namespace
}  // namespace kelda::kernels::vector::f32
