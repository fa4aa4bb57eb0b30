// One request's samplers in order, and the draw at their end. STATE of one sequence.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rng.h"
#include "sampling/sampler.h"
#include "sampling/softmax.h"

namespace kelda::sampling {

struct Draw {
  TokenId id;
  double uniform;      // the random number used; −1 when greedy
  std::size_t n_left;  // candidates that were left to draw from
};

class Chain {
 public:
  // `knobs` has the rows of request_knobs(). Throws kUsage for a logit bias on an id that is not below
  // `vocab_size`, the number of logits. Temperature 0 is greedy: the likeliest token, ties by the lowest id,
  // after logit bias and penalties.
  Chain(const Knobs& knobs, std::size_t vocab_size);

  // Draws the token at `key.position` from raw logits [vocab_size]. The same arguments give the same token,
  // whatever was drawn before and however the host has set its processor to round. Throws kInternal if no
  // logit is a number, kUsage if the logit bias bans all that is left. Memory is asked for by the first call
  // alone.
  Draw draw(std::span<const float> logits, const History& history, const DrawKey& key);

  // The stages alone: what is left to draw from, in order of id; valid until the next call. Errors as draw().
  const Candidates& apply(std::span<const float> logits, const History& history);

  bool greedy() const { return greedy_; }

 private:
  std::size_t vocab_size_;
  std::vector<std::unique_ptr<Sampler>> stages_;
  bool greedy_ = false;
  Candidates candidates_;
  Weights weights_;
};

// Logprobs are of the raw distribution: temperature 1, before any stage. −inf and NaN logits have probability
// 0.

// Natural log of the softmax of `logits` at `id`.
double logprob(std::span<const float> logits, TokenId id);

struct TokenLogprob {
  TokenId id;
  double logprob;
};
// The n best, best first, ties by the lowest id; fewer where fewer have a probability above 0.
std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, std::size_t n);

}  // namespace kelda::sampling
