// How many tokens go through the network to write an answer, with a cache and without.
#pragma once

#include <cstdint>

namespace kelda::calc {

struct Passes {
  uint64_t passes = 0;        // runs of the network
  uint64_t token_passes = 0;  // tokens that went through it, over all runs
};

// n_new tokens after a prompt of n_prompt ≥ 1. Both throw kUsage beyond 64 bits.
//   Without a cache each token reads everything before it anew: Σ (n_prompt + i), i = 0 … n_new − 1.
Passes naive_passes(int64_t n_prompt, int64_t n_new);
//   With it one pass reads the prompt and gives the first token; each further one reads one token.
Passes cached_passes(int64_t n_prompt, int64_t n_new);

// Scores of one attention head over n tokens: n × n, as the textbook writes them down. Throws likewise.
uint64_t score_matrix(int64_t n);
// Those that a causal model needs: n (n + 1) / 2.
uint64_t causal_scores(int64_t n);

}  // namespace kelda::calc
