// What an instruction set provides: one table of functions on raw pointers and counts. Kernels know no
// threads, never throw, never allocate. The scalar table is the reference: every other one equals it bit for
// bit on every input.
//
// The arithmetic, which is the contract (docs/adr/0009-equal-bits.md):
//   * Sums over a row use the 16-lane tree: element i goes to lane i mod 16, each lane adds its elements in
//   ascending order
//     (fma where there is a product, lanes start at +0, missing elements of the last step are left out of no
//     lane's sum: they add +0), then lanes are added in halves: l[i] += l[i+8], then 4, 2, 1. Maxima use the
//     same shape.
//   * Activations are int8 per 32 columns: a = max |x|, scale = a / 127, q = round-to-nearest-even(x * (127 /
//   a)); scale = 0
//     and q = 0 where a < 2^-100. Elements with |x| > kOutlierLimit × RMS(row) are outliers: they count as 0
//     there and come back exactly. A row whose mean square is below 2^-100, or not finite, has none;
//     recording stops at max_outliers. A block with Inf or NaN gets scale = NaN and q = 0, so that it shows
//     in every output. NaN equals NaN: sign and payload are not promised.
//   * Quantised matmul, per output element: F = 0; for each 32-column block ascending:
//       I = Σ over its halves h of factor[h] · Σ code·q, an exact integer, |I| < 2^24
//       F = fma(float(I), w.scale * x.scale, F)
//       formats with one min per block:    F = fma(w.min, x.scale * float(Σ q), F)
//       formats with one per half, h = 0, 1: F = fma(w.min[h], x.scale * float(Σ q over the half), F)
//     Last, for each outlier with k ascending: F = fma(x[k], weight[k], F), the weight of quant/format.h:
//     scale * float(factor) * float(code) (+ min). The factor is 1 where a format has none.
//   * Float matmul: F = fma(w[k], x[k], F), k ascending.
//   * Soft capping: cap · tanh(x / cap), tanh being tanh_f32 of base/math.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "base/math.h"
#include "quant/format.h"
#include "tensor/kv_type.h"

namespace kelda::kernels {

// Rows of activations as the quantised matmul reads them. STATE: views of scratch memory.
struct QuantizedRows {
  int64_t cols = 0;
  int64_t stride = 0;        // bytes between rows of q; a multiple of 64, ≥ cols; bytes past cols are 0
  int64_t n_blocks = 0;      // ceil(cols / 32)
  int64_t max_outliers = 0;  // room per row
  int8_t* q = nullptr;       // [n][stride]
  float* scale = nullptr;    // [n][n_blocks]
  int32_t* sum = nullptr;    // [n][n_blocks] Σ q over the block
  int32_t* n_outliers = nullptr;  // [n]
  int32_t* outlier_k = nullptr;   // [n][max_outliers] ascending
  float* outlier_x = nullptr;     // [n][max_outliers]
};

// Outliers above limit × RMS number at most cols / limit² + 1 in a row.
inline constexpr float kOutlierLimit = 6.0f;
constexpr int64_t max_outliers(int64_t cols) {
  return static_cast<int64_t>(static_cast<float>(cols) / (kOutlierLimit * kOutlierLimit)) + 2;
}

struct MatmulArgs {
  const quant::FormatSpec* format = nullptr;
  const std::byte* w = nullptr;  // first row group, packed
  int64_t group_bytes = 0;
  int64_t n_groups = 0;  // row groups to compute
  int64_t n_rows = 0;    // output rows among them: ≤ 16 × n_groups, > 16 × (n_groups − 1)
  int64_t cols = 0;
  int64_t first_token = 0;  // tokens [first_token, first_token + n_tokens) of the rows
  int64_t n_tokens = 0;
  const QuantizedRows* x = nullptr;  // quantised formats
  const float* x_f32 = nullptr;      // float formats: [token][x_stride]
  int64_t x_stride = 0;
  float* y = nullptr;  // y[token * y_stride + row], row counted from the first group's first
  int64_t y_stride = 0;
};
using MatmulFn = void (*)(const MatmulArgs&) noexcept;

// A fast matmul for one weight format on one instruction set: kernels/vector/formats/FORMAT.h on its lanes.
struct MatmulKernel {
  std::string_view format;
  MatmulFn run;
};

// Attention of a tile of query rows, all of one sequence and one KV head, over the keys of one 512-key split.
//   K block: [kKvBlock / 16][head_dim][16 tokens];  V block: [kKvBlock][head_dim]; f32 or f16. Keys are
//   absolute positions. Row r attends to keys first_key[r] … last_key[r] (inclusive), cut to the split; a row
//   may have none here.
// Per row, for each 64-key block ascending (a block with no attended key is skipped):
//   s[j] = Σ_d fma(q[d], k[d][j]), d ascending from +0, q already multiplied by scale · log2 e
//   where softcap is not 0: s[j] = softcap · tanh(s[j] / softcap);  keys not attended: −inf
//   m' = max(m, s[0 … 63]);  where m' > m: O[d] and l[lane] *= exp2(m − m') for the 16 lanes;  m = m'
//   p[j] = exp2(s[j] − m), 0 where not attended;  l[j mod 16] += p[j], j ascending;
//   O[d] = fma(p[j], v[j][d], O[d]) for the attended j ascending
// At the split's end l is summed by the 16-lane tree. A row with no key here gives m = −inf, l = 0, O = 0.
struct AttentionArgs {
  KvType kv_type = KvType::kF16;
  int head_dim = 0;   // a multiple of 16
  float softcap = 0;  // the cap on scores · log2 e, in the scores' own unit; 0 = none
  int64_t n_rows = 0;
  const float* const* q = nullptr;             // [n_rows] pointers to head_dim floats, scaled
  const int64_t* first_key = nullptr;          // [n_rows]
  const int64_t* last_key = nullptr;           // [n_rows]
  int64_t split = 0;                           // keys 512 split … 512 split + 511
  const std::byte* const* k_blocks = nullptr;  // [8] this split's blocks; null where no row attends
  const std::byte* const* v_blocks = nullptr;
  float* m = nullptr;  // [n_rows]
  float* l = nullptr;  // [n_rows]
  float* o = nullptr;  // [n_rows][head_dim], not yet divided by l
};

// 2 √(2/π) log2 e, and that × 0.044715.
inline constexpr float kGeluLinear = 0x1.26aec2p+1f;
inline constexpr float kGeluCubic = 0x1.a5a7dp-4f;

// The upper tail of the normal distribution, Φ(−y) = exp2(kTailExponent · y²) · t · P(t), t = 1 / (1 +
// kTailPole · y), for y in [0, kTailLimit]; beyond, it is 0 in floats. P has these coefficients, lowest power
// first. Relative error of the approximation: 4e-8.
inline constexpr float kTailExponent = -kLog2E / 2;
inline constexpr float kTailPole = 0.35f;
inline constexpr float kTailLimit = 16.0f;
inline constexpr float kTailPoly[9] = {0x1.1df1fcp-3f,  0x1.1e6d34p-3f,  0x1.eafbacp-4f,
                                       0x1.af985cp-4f,  -0x1.756edap-6f, 0x1.45117cp-3f,
                                       -0x1.05752ap-2f, 0x1.267b16p-3f,  -0x1.dceccap-6f};

struct KernelTable {
  std::string_view name;

  // The reference or fast matmul for a format. Never null: falls back to the scalar one; is_native() says
  // which.
  MatmulFn (*matmul)(const quant::FormatSpec&) noexcept;
  bool (*is_native)(const quant::FormatSpec&) noexcept;

  // Quantises row x[cols] into row `row` of out (all of it: q, scale, sum, outliers).
  void (*quantize_row)(const float* x, const QuantizedRows& out, int64_t row) noexcept;
  // y = x / sqrt(mean(x²) + eps) * w:  s = 1 / sqrt(sum / n + eps), y[i] = (x[i] * s) * w[i].
  void (*rms_norm)(const float* x, const float* w, float eps, int64_t n, float* y) noexcept;
  // y = (x − mean) / sqrt(variance + eps) * w + b:  mean = sum / n, s = 1 / sqrt(Σ (x − mean)² / n + eps),
  // y[i] = fma((x[i] − mean) * s, w[i], b[i]). A missing element of the last step adds +0 to either sum.
  void (*layer_norm)(const float* x, const float* w, const float* b, float eps, int64_t n, float* y) noexcept;
  // x[i] += y[i].
  void (*add)(float* x, const float* y, int64_t n) noexcept;
  // x[i] = fma(factor, y[i], x[i]).
  void (*add_scaled)(float* x, const float* y, float factor, int64_t n) noexcept;
  // x[i] *= factor.
  void (*scale)(float* x, float factor, int64_t n) noexcept;
  // x[i] = cap · tanh(x[i] / cap).
  void (*softcap)(float* x, float cap, int64_t n) noexcept;
  // out[i] = silu(gate[i]) * up[i], silu(g) = g / (1 + exp2(−g · log2 e)).
  void (*silu_mul)(const float* gate, const float* up, int64_t n, float* out) noexcept;
  // out[i] = gelu(gate[i]) * up[i], gelu(g) = g / (1 + exp2(−u)), u = g · fma(kGeluCubic, g², kGeluLinear):
  // ½ g (1 + tanh(√(2/π) (g + 0.044715 g³))), written as the logistic function that it is.
  void (*gelu_mul)(const float* gate, const float* up, int64_t n, float* out) noexcept;
  // x[i] = gelu(x[i]), the same function.
  void (*gelu)(float* x, int64_t n) noexcept;
  // x[i] = x[i] · Φ(x[i]) = ½ x (1 + erf(x / √2)), as max(x, 0) − y · Φ(−y), y = min(|x|, kTailLimit):
  // t = 1 / fma(kTailPole, y, 1), P by fma from the highest power, Φ(−y) = (P · t) · exp2((y · y) ·
  // kTailExponent).
  void (*gelu_exact)(float* x, int64_t n) noexcept;
  // Rotates pairs in place: (a, b) → (a c − b s, a s + b c) as a' = fma(a, c, −(b s)), b' = fma(a, s, b c).
  // Pairs are (2i, 2i+1) if interleaved, else (i, i + n/2). cos, sin: [n / 2].
  void (*rope)(float* x, const float* cos, const float* sin, int64_t n, bool interleaved) noexcept;
  void (*attention)(const AttentionArgs&) noexcept;
  // Writes one token's K and V head (head_dim floats each) into slot `slot` (0 … 63) of a block.
  void (*store_kv)(KvType, const float* k, const float* v, int head_dim, int slot, std::byte* k_block,
                   std::byte* v_block) noexcept;
  // Index of the largest of x[n]; the lowest index among equals. NaN is never the largest.
  int64_t (*argmax)(const float* x, int64_t n) noexcept;
};

const KernelTable& scalar_table();
const KernelTable& avx2_table();    // only to be called where base/cpu.h says that AVX2 is available
const KernelTable& avx512_table();  // and that AVX-512 is
// The table of an instruction set that is available.
const KernelTable& table_of(Isa isa);

// Generated from kernels/vector/formats.
namespace avx2 {
std::span<const MatmulKernel* const> matmul_kernels();
}
namespace avx512 {
std::span<const MatmulKernel* const> matmul_kernels();
}

}  // namespace kelda::kernels
