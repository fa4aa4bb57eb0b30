// Mixture of experts: which experts a token takes, its rows brought together by expert, and their results put
// together by token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/exec.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// The choices of one pass. Place p of token t is index t × n_used + p, places in ascending order of experts;
// every choice has a row of its own in the matrices that experts read and write, an expert's rows side by
// side. STATE: memory grows to the largest pass and is kept.
struct ExpertChoices {
  int64_t n_used = 0;
  std::vector<int32_t> expert;     // [n_tokens × n_used]
  std::vector<float> weight;       // [n_tokens × n_used]
  std::vector<int32_t> row;        // [n_tokens × n_used]
  std::vector<int32_t> first_row;  // [n_experts + 1]: expert e has rows first_row[e] … first_row[e + 1] − 1
  uint64_t bytes() const {
    return (expert.capacity() + weight.capacity() + row.capacity() + first_row.capacity()) * 4;
  }
};

// Each token takes the n_used experts with the largest of its logits (the lower expert among equals; NaN is
// smaller than all), weighted by the softmax over all experts, or, if `normalise`, over those taken.
//   logits: [n_tokens, n_experts], n_used ≤ n_experts.
//   Numerics: p = exp2((logit − max) · log2 e), weight = p / Σ p, the sum in ascending order of experts.
//   Source: Shazeer et al. 2017 (arXiv 1701.06538), section 2.1; Qwen3's `norm_topk_prob`.
void choose_experts(Exec& exec, Matrix<const float> logits, int64_t n_used, bool normalise,
                    ExpertChoices& choices);

// out[row of each choice] = x[its token].   x: [n_tokens, cols]   out: [n_tokens × n_used, cols]
void gather_rows(Exec& exec, const ExpertChoices& choices, Matrix<const float> x, Matrix<float> out);

// out[t] = Σ weight · y[row] over the token's choices, by fma from +0, experts ascending: the same in any
// company.   y: [n_tokens × n_used, cols]   out: [n_tokens, cols]
void combine_rows(Exec& exec, const ExpertChoices& choices, Matrix<const float> y, Matrix<float> out);

// x[t] += sigmoid(gate[t]) · y[t], by fma: an expert that every token takes, each as far as its own gate lets
// it.   x, y: [n_tokens, cols]   gate: [n_tokens, 1]
//   Numerics: sigmoid(g) = 1 / (1 + exp2(−g · log2 e)).
void add_gated_rows(Exec& exec, Matrix<float> x, Matrix<const float> y, Matrix<const float> gate);

}  // namespace kelda::ops
