// One request's samplers in order, and the draw at their end. STATE of one sequence.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rng.h"
#include "sampling/chain_observer.h"
#include "sampling/sampler.h"
#include "sampling/sampler_order.h"
#include "sampling/softmax.h"

namespace kelda::sampling {

struct Draw {
  TokenId id;
  double uniform;      // the random number used; −1 when greedy
  std::size_t n_left;  // candidates that were left to draw from
};

class Chain {
 public:
  // `knobs` has the rows of request_knobs(); a profile that they name is filled in. `text` is needed where a
  // knob is about text. `all` are the samplers there are, in the documented order. Throws kUsage for settings
  // that a vocabulary of `vocab_size` logits cannot have. Temperature 0 is greedy: the likeliest token, ties
  // by the lowest id, after bans, biases and penalties.
  Chain(const Knobs& knobs, std::size_t vocab_size, const TokenText& text = {},
        const SamplerList& all = samplers_in_order());

  // Draws the token at `key.position` from raw logits [vocab_size]. The same arguments give the same token,
  // whatever was drawn before (but for mirostat, which learns from the draws of the request that led here)
  // and however the host has set its processor to round. Throws kInternal if no logit is a number, kUsage if
  // all that is left is banned. Memory is asked for by the first call, and where the history has grown.
  Draw draw(std::span<const float> logits, const History& history, const DrawKey& key);

  // From now on `observer`, which outlives the chain or the next call, is told what draw() and apply() do;
  // nullptr: nobody is. A draw is the same whether it is observed or not, and takes several times as long.
  void observe(ChainObserver* observer) { observer_ = observer; }

  // The stages alone: what is left to draw from, in order of id; valid until the next call. Errors as draw().
  const Candidates& apply(std::span<const float> logits, const History& history, const DrawKey& key = {});

  // What the latest draw() drew from, in order of id; where it was greedy(), the best one was taken.
  const Candidates& left() const { return candidates_; }
  bool greedy() const { return greedy_; }

 private:
  struct Step {
    std::string_view name;
    std::unique_ptr<Sampler> sampler;
    bool early = false;  // runs before the one that it stands behind in the order: the outcome is the same
  };
  void run_stages(const History& history, const DrawKey& key);
  void run_observed(const History& history, const DrawKey& key);
  void run(const Step& step, Candidates& candidates, const History& history, const DrawKey& key);

  std::size_t vocab_size_;
  std::vector<Step> steps_;
  bool greedy_ = false;
  Candidates candidates_;
  Weights weights_;
  ChainObserver* observer_ = nullptr;
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
