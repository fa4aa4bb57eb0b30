// What became of the probabilities on the way from logits to a drawn token, as data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/chain.h"

namespace kelda::sampling {

// One stage that ran. Masses are in [0, 1]; exactly 1 where nothing has been removed.
struct StageRecord {
  std::string name;    // of the sampler; "min_tokens" and "greedy" where the request's rules did it
  std::size_t n_left;  // candidates that it left
  double mass_kept;    // theirs, of the distribution that the stage was given
  double mass_of_raw;  // theirs, of the raw distribution
};

struct CandidateRecord {
  TokenId id;
  float logit;          // raw
  double p;             // raw: temperature 1, before any stage
  double p_drawn;       // of the distribution that was drawn from; 0 where it was removed
  int removed_by = -1;  // the index of the stage; −1: it was left to draw from
};

struct DrawRecord {
  std::size_t n_raw = 0;   // tokens whose raw probability is above 0
  double raw_entropy = 0;  // of the raw distribution, in bits
  double entropy = 0;      // of the one that was drawn from; 0 where greedy
  bool greedy = false;
  Draw draw = {};
  std::vector<StageRecord> stages;  // in the order that is documented or asked for
  // The likeliest raw tokens, the likeliest left to draw from, and the drawn one: in the order of raw
  // probability, each once.
  std::vector<CandidateRecord> candidates;
};

// Records one draw after another: begin(), a draw of the chain that it observes, take(). STATE.
class DrawRecorder final : public ChainObserver {
 public:
  // n_top: how many of the likeliest are recorded, of the raw and of the final distribution; ≥ 0.
  explicit DrawRecorder(std::size_t n_top) : n_top_(n_top) {}

  // The raw logits, of which at least one is a number. What of them the chain is not given counts as removed
  // by "min_tokens", the only rule that keeps tokens from it.
  void begin(std::span<const float> logits);
  void begins(const Candidates& all) override;
  void ran(std::string_view stage, const Candidates& left) override;
  void drew(const Draw& draw, const Candidates& left) override;
  // The record of the latest draw; there must have been one since begin().
  DrawRecord take();

 private:
  void choose(const Candidates& left);
  double set_probabilities(const Candidates& left);

  std::size_t n_top_;
  Candidates raw_;
  std::vector<double> raw_p_, p_;  // by id: raw, and as the latest stage has left it
  std::vector<int> removed_by_;    // by id
  std::vector<TokenId> ids_;       // what is left, rising
  Weights weights_;
  DrawRecord record_;
};

}  // namespace kelda::sampling
