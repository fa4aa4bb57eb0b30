// F16 matmul.
#pragma once

#include "kernels/vector/matmul_codes.h"

namespace kelda::kernels::vector::f16 {
namespace {

template <typename L>
struct Matmul {
  using F = typename L::F;
  static constexpr bool kIsFloat = true;
  static constexpr int kColumnBytes = 32;

  static F load(const std::byte* p) { return load_halves<F>(p); }
};

}  // namespace
}  // namespace kelda::kernels::vector::f16
