// Quantised matmul as a template over L, sixteen lanes of floats and integers (kernels/ISA/lanes.h).
//
// Rows are lanes, so a dword of activations is broadcast and meets a dword of each row; no sum ever crosses
// lanes. A tile is 16 G rows by T tokens: each dword of activations serves G registers of codes, and each of
// those T tokens. Where an instruction adds four products of unsigned and signed bytes to an integer
// (L::kHasDot4) all formats take the way that is written here, and what the codes are above their value (the
// bias) costs nothing: the integer sums begin at −bias · Σ q. Elsewhere the integer sums are L's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/vector/matmul_codes.h"

namespace kelda::kernels::vector {
namespace {

// Ahead, for one token: the stream of weights crosses page ends.
inline constexpr int kPrefetchBytes = 1536;

// What a format W<L> says:
//   kUnitBytes, kUnitBlocks    of a unit of the packed form
//   kMins                      0, 1 or 2: FormatSpec::n_mins
//   kFactors                   which integer factors it has
//   kBias, kHighestCode        what its codes are above their value; the highest, so raised
//   Unit::open(p)              the unit at p; what its blocks share may be expanded here
//   and of block i of a unit, which stands at unit.codes(i):
//   quad<n>(codes)             the biased codes (0 … 255) of columns 4n … 4n + 3
//   scale(unit, i), min(unit, i, half), factor(unit, i, half)
//   factor_words(unit, i, half)  the factor twice, as 16-bit numbers; asked by AVX2, of codes up to 63

// Tokens of a tile: as many as the registers have room for.
template <typename L, typename W>
inline constexpr int kMostTokens = W::kFactors == Factors::kOfHalves ? L::kTokensOfHalves : L::kTokens;

// Σ q of each half of a block, for T tokens.
template <typename L, int T>
struct HalfSums {
  int32_t of[T][2];
  [[gnu::always_inline]] explicit HalfSums(const BlockInput& x) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      of[t][0] = L::sum16(x.q + t * x.stride);
      of[t][1] = x.sum[t * x.step] - of[t][0];
    }
  }
};

// −bias · Σ q, where the integer sums begin.
template <typename I, typename W>
[[gnu::always_inline]] inline I minus_bias(int32_t q_sum) {
  if constexpr (W::kBias == 0) return I::broadcast(0);
  return I::broadcast(0) - times<W::kBias>(I::broadcast(q_sum));
}

// sum[g][t] += Σ code·q over quads kFirst … kEnd − 1.
template <typename L, typename W, int G, int T, int kFirst, int kEnd>
[[gnu::always_inline]] inline void dot_quads(const typename W::Unit* units, int i, const BlockInput& x,
                                             typename L::I (*sum)[T]) {
  using I = typename L::I;
  unrolled<kEnd, kFirst>([&](auto n) __attribute__((always_inline)) {
    I codes[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) codes[g] = W::template quad<n.value>(units[g].codes(i));
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const I q = I::broadcast4(x.q + t * x.stride + n.value * 4);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) sum[g][t] = I::dot4(sum[g][t], codes[g], q);
    }
  });
}

// dot[g][t] = Σ factor·code·q over block i.
template <typename L, typename W, int G, int T>
[[gnu::always_inline]] inline void dot_block(const typename W::Unit* units, int i, const BlockInput& x,
                                             typename L::I (*dot)[T]) {
  using I = typename L::I;
#pragma GCC unroll 8
  for (int t = 0; t < T; ++t) {
    const I start = minus_bias<I, W>(x.sum[t * x.step]);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) dot[g][t] = start;
  }
  dot_quads<L, W, G, T, 0, 8>(units, i, x, dot);
  if constexpr (W::kFactors == Factors::kOfBlock) {
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const I factor = W::factor(units[g], i, 0);
#pragma GCC unroll 8
      for (int t = 0; t < T; ++t) dot[g][t] = dot[g][t] * factor;
    }
  }
}

// The same where the halves have factors of their own.
template <typename L, typename W, int G, int T>
[[gnu::always_inline]] inline void dot_halves(const typename W::Unit* units, int i, const BlockInput& x,
                                              const HalfSums<L, T>& sums, typename L::I (*dot)[T]) {
  using I = typename L::I;
  unrolled<2>([&](auto half) __attribute__((always_inline)) {
    I sum[G][T];
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) {
      const I start = minus_bias<I, W>(sums.of[t][half.value]);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) sum[g][t] = start;
    }
    dot_quads<L, W, G, T, half.value * 4, half.value * 4 + 4>(units, i, x, sum);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const I factor = W::factor(units[g], i, half.value);
#pragma GCC unroll 8
      for (int t = 0; t < T; ++t) {
        const I product = sum[g][t] * factor;
        dot[g][t] = half.value == 0 ? product : dot[g][t] + product;
      }
    }
  });
}

// F[g][t] after block i of G units.
template <typename L, typename W, int G, int T>
[[gnu::always_inline]] inline void add_block(const typename W::Unit* units, int i, const BlockInput& x,
                                             typename L::F (*sum)[T]) {
  using F = typename L::F;
  using I = typename L::I;
  constexpr bool kHalfSums =
      W::kMins == 2 || (L::kHasDot4 && W::kFactors == Factors::kOfHalves && W::kBias != 0);
  I dot[G][T];
  const auto add = [&](const auto& half_sums) __attribute__((always_inline)) {
    if constexpr (!L::kHasDot4) {
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g) L::template dot<W, T>(units[g], i, x, dot[g]);
    } else if constexpr (W::kFactors == Factors::kOfHalves) {
      dot_halves<L, W, G, T>(units, i, x, half_sums, dot);
    } else {
      dot_block<L, W, G, T>(units, i, x, dot);
    }
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const F scale = W::scale(units[g], i);
#pragma GCC unroll 8
      for (int t = 0; t < T; ++t)
        sum[g][t] = F::fma(dot[g][t].to_floats(), scale * F::broadcast(x.scale[t * x.step]), sum[g][t]);
      if constexpr (W::kMins > 0) {
        unrolled<W::kMins>([&](auto half) __attribute__((always_inline)) {
          const F min = W::min(units[g], i, half.value);
#pragma GCC unroll 8
          for (int t = 0; t < T; ++t) {
            int32_t q_sum = x.sum[t * x.step];
            if constexpr (W::kMins == 2) q_sum = half_sums.of[t][half.value];
            const F scaled = F::broadcast(x.scale[t * x.step]) * I::broadcast(q_sum).to_floats();
            sum[g][t] = F::fma(min, scaled, sum[g][t]);
          }
        });
      }
    }
  };
  if constexpr (kHalfSums) {
    add(HalfSums<L, T>(x));
  } else {
    add(0);  // they are not asked for
  }
}

// The 16 rows' weights of column k of block i.
template <typename L, typename W>
inline typename L::F weights(const typename W::Unit& unit, int i, int k) {
  using F = typename L::F;
  using I = typename L::I;
  I quad = I::broadcast(0);
  unrolled<8>([&](auto n) {
    if (n.value == k / 4) quad = W::template quad<n.value>(unit.codes(i));
  });
  F weight = W::scale(unit, i);
  if constexpr (W::kFactors != Factors::kNone) weight = weight * W::factor(unit, i, k / 16).to_floats();
  weight = weight * (unsigned_byte(quad, k % 4) - I::broadcast(W::kBias)).to_floats();
  if constexpr (W::kMins != 0) weight = weight + W::min(unit, i, k / 16);
  return weight;
}

template <typename L, typename W>
inline typename L::F add_outliers(const QuantizedRows& x, const std::byte* group, int64_t token,
                                  typename L::F sum) {
  using F = typename L::F;
  const int64_t first = token * x.max_outliers;
  for (int64_t n = first; n < first + x.n_outliers[token]; ++n) {
    const int64_t kb = x.outlier_k[n] / quant::kActBlock;
    typename W::Unit unit;
    unit.open(group + kb / W::kUnitBlocks * W::kUnitBytes);
    const F weight =
        weights<L, W>(unit, static_cast<int>(kb % W::kUnitBlocks), x.outlier_k[n] % quant::kActBlock);
    sum = F::fma(F::broadcast(x.outlier_x[n]), weight, sum);
  }
  return sum;
}

// For one token: asks for what this block's part of the unit is as far ahead.
template <typename L, typename W>
inline void prefetch_block(const std::byte* unit, int i) {
  constexpr int kLines = W::kUnitBytes / 64;
  for (int line = kLines * i / W::kUnitBlocks; line < kLines * (i + 1) / W::kUnitBlocks; ++line)
    L::prefetch(unit + kPrefetchBytes + line * 64);
}

// G groups of 16 rows by T tokens. y: of the first group's first row and the first token. n_rows: from there
// on.
template <typename L, typename W, int G, int T>
void quantized_tile(const MatmulArgs& a, const std::byte* groups, int64_t token, float* y, int64_t n_rows) {
  using F = typename L::F;
  const QuantizedRows& x = *a.x;
  const int64_t first_block = token * x.n_blocks;
  F sum[G][T];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) sum[g][t] = F::broadcast(0);
  }
  const std::byte* p = groups;
  for (int64_t first = 0; first < x.n_blocks; first += W::kUnitBlocks, p += W::kUnitBytes) {
    typename W::Unit units[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) units[g].open(p + g * a.group_bytes);
    const int64_t left = x.n_blocks - first;
    const int n = left < W::kUnitBlocks ? static_cast<int>(left) : W::kUnitBlocks;
    for (int i = 0; i < n; ++i) {
      if constexpr (T == 1) {
        for (int g = 0; g < G; ++g) prefetch_block<L, W>(p + g * a.group_bytes, i);
      }
      const int64_t kb = first + i;
      add_block<L, W, G, T>(units, i,
                            {x.q + token * x.stride + kb * quant::kActBlock, x.stride,
                             x.scale + first_block + kb, x.sum + first_block + kb, x.n_blocks},
                            sum);
    }
  }
  // By way of memory, so that sum above is never indexed by a variable.
  alignas(64) float sums[G][T][quant::kLanes];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 8
    for (int t = 0; t < T; ++t) sum[g][t].store(sums[g][t]);
  }
  for (int g = 0; g < G; ++g) {
    const int64_t left = n_rows - g * quant::kLanes;
    for (int t = 0; t < T; ++t) {
      const F all = add_outliers<L, W>(x, groups + g * a.group_bytes, token + t, F::load(sums[g][t]));
      float* out = y + t * a.y_stride + g * quant::kLanes;
      if (left >= quant::kLanes) {
        all.store(out);
      } else {
        all.store_first(out, left);
      }
    }
  }
}

// All tokens for G groups, in tiles as equal as can be: 7 tokens are 4 + 3.
template <typename L, typename W, int G>
void quantized_groups(const MatmulArgs& a, int64_t g) {
  const std::byte* groups = a.w + g * a.group_bytes;
  const int64_t n_rows = a.n_rows - g * quant::kLanes;
  int64_t left = a.n_tokens;
  while (left > 0) {
    const int64_t tiles = (left + kMostTokens<L, W> - 1) / kMostTokens<L, W>;
    const int64_t n = (left + tiles - 1) / tiles;
    const int64_t token = a.first_token + a.n_tokens - left;
    float* y = a.y + token * a.y_stride + g * quant::kLanes;
    unrolled<kMostTokens<L, W>>([&](auto i) {
      constexpr int kTokens = decltype(i)::value + 1;
      if (n == kTokens) quantized_tile<L, W, G, kTokens>(a, groups, token, y, n_rows);
    });
    left -= n;
  }
}

template <typename L, typename W>
void matmul_quantized(const MatmulArgs& a) noexcept {
  int64_t g = 0;
  // One token reads the weights as one stream, which is what memory is fastest at.
  if constexpr (L::kGroups > 1) {
    for (; a.n_tokens > 1 && g + L::kGroups <= a.n_groups; g += L::kGroups)
      quantized_groups<L, W, L::kGroups>(a, g);
  }
  for (; g < a.n_groups; ++g) quantized_groups<L, W, 1>(a, g);
}

}  // namespace
}  // namespace kelda::kernels::vector
