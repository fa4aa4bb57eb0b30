// The kernel table of an instruction set: what it does its own way, and the rest from its lanes F.
#pragma once

#include "kernels/kernel_table.h"
#include "kernels/vector/attention.h"
#include "kernels/vector/rows.h"
#include "kernels/vector/store_kv.h"

namespace kelda::kernels::vector {
namespace {

template <typename F>
constexpr KernelTable table(std::string_view name, decltype(KernelTable::matmul) matmul,
                            decltype(KernelTable::is_native) is_native,
                            decltype(KernelTable::quantize_row) quantize_row) noexcept {
  return {.name = name,
          .matmul = matmul,
          .is_native = is_native,
          .quantize_row = quantize_row,
          .rms_norm = rms_norm<F>,
          .layer_norm = layer_norm<F>,
          .add = add<F>,
          .add_scaled = add_scaled<F>,
          .scale = scale<F>,
          .softcap = softcap<F>,
          .silu_mul = silu_mul<F>,
          .gelu_mul = gelu_mul<F>,
          .gelu = gelu<F>,
          .gelu_exact = gelu_exact<F>,
          .rope = rope<F>,
          .attention = attention<F>,
          .store_kv = store_kv<F>,
          .argmax = argmax<F>};
}

}  // namespace
}  // namespace kelda::kernels::vector
