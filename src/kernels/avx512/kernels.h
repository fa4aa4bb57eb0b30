// The kernels of kernels/kernel_table.h for AVX-512 (F, BW, VL, DQ and VNNI). Files here export plain
// functions only and no weak symbol, so that the linker can never pick their code for a machine without them:
// scripts/check_isa.sh.
#pragma once

#include "kernels/kernel_table.h"

namespace kelda::kernels::avx512 {

void rms_norm(const float* x, const float* w, float eps, int64_t n, float* y) noexcept;
void layer_norm(const float* x, const float* w, const float* b, float eps, int64_t n, float* y) noexcept;
void add(float* x, const float* y, int64_t n) noexcept;
void add_scaled(float* x, const float* y, float factor, int64_t n) noexcept;
void scale(float* x, float factor, int64_t n) noexcept;
void softcap(float* x, float cap, int64_t n) noexcept;
void silu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept;
void gelu_mul(const float* gate, const float* up, int64_t n, float* out) noexcept;
void gelu(float* x, int64_t n) noexcept;
void gelu_exact(float* x, int64_t n) noexcept;
void rope(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept;
void attention(const AttentionArgs& a) noexcept;
void store_kv(KvType type, const float* k, const float* v, int head_dim, int slot, std::byte* k_block,
              std::byte* v_block) noexcept;
int64_t argmax(const float* x, int64_t n) noexcept;

// The fast matmul for a format, nullptr if there is none: kernels/kernel_table.cpp.
const MatmulKernel* find_matmul_kernel(const quant::FormatSpec& format) noexcept;

}  // namespace kelda::kernels::avx512
