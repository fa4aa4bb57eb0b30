// The matmul of a format W<L> of kernels/vector/formats on the lanes L of an instruction set. What makes the
// kernels of all formats from it is written by kelda_matmul_kernels() of cmake/KeldaLayers.cmake.
#pragma once

#include "kernels/vector/matmul_float.h"
#include "kernels/vector/matmul_quantized.h"

namespace kelda::kernels::vector {
namespace {

template <typename L, typename W>
void matmul(const MatmulArgs& a) noexcept {
  if constexpr (W::kIsFloat) {
    matmul_float<L, W>(a);
  } else {
    matmul_quantized<L, W>(a);
  }
}

}  // namespace
}  // namespace kelda::kernels::vector
