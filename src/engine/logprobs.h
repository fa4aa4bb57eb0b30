// How likely a token was, as data: of the raw distribution (temperature 1, before any stage), and of the one
// that was drawn from.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "learned/vocabulary.h"
#include "sampling/chain.h"

namespace kelda {

// Natural logarithms. Lists have the best first, ties by the lowest id, and no token of probability 0.
struct TokenReport {
  struct Processed {
    double logprob = 0;
    std::vector<sampling::TokenLogprob> top;  // fewer where the samplers left fewer
  };
  TokenId id = 0;
  double logprob = 0;  // −inf for a token of a prompt that the model holds impossible
  std::vector<sampling::TokenLogprob> top;
  std::optional<Processed> processed = {};
};

// `id` in the distribution of raw logits [vocab_size], and the n likeliest tokens.
TokenReport raw_report(std::span<const float> logits, TokenId id, std::size_t n);

// `drawn` in the distribution of the chain's latest draw, and the n likeliest tokens of it. At temperature 0
// all of the probability is on the token that was taken.
TokenReport::Processed processed_report(const sampling::Chain& chain, TokenId drawn, std::size_t n);

}  // namespace kelda
