#include "sampling/chain.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/cpu.h"
#include "base/error.h"
#include "sampling/profiles.h"

namespace kelda::sampling {
namespace {

// What looks at the order of the candidates alone goes before what leaves that order as it is: the outcome is
// the same, and few are left to work on.
void swap_neighbours(SamplerList& samplers, const Knobs& knobs) {
  for (std::size_t i = 1; i < samplers.size(); ++i) {
    const SamplerSpec& before = *samplers[i - 1];
    if (samplers[i]->by_order && before.keeps_order != nullptr && before.keeps_order(knobs))
      std::swap(samplers[i - 1], samplers[i]);
  }
}

}  // namespace

Chain::Chain(const Knobs& asked, std::size_t vocab_size, const TokenText& text, const SamplerList& all)
    : vocab_size_(vocab_size) {
  const FloatEnvironment rounding;  // a denormal knob is not 0
  const Knobs knobs = with_profile(asked);
  greedy_ = is_greedy(knobs);
  SamplerList samplers = acting(all, knobs);
  swap_neighbours(samplers, knobs);
  for (const SamplerSpec* spec : samplers)
    steps_.push_back({spec->name, spec->make(knobs, text, vocab_size)});
}

const Candidates& Chain::apply(std::span<const float> logits, const History& history, const DrawKey& key) {
  KELDA_CHECK(logits.size() == vocab_size_);
  const FloatEnvironment rounding;
  candidates_.assign(logits);
  if (candidates_.size() == 0) fail(ErrorCode::kInternal, "the model gave no logit that is a number");
  for (const Step& step : steps_) {
    step.sampler->apply(candidates_, history, key);
    if (candidates_.size() == 0)
      fail(ErrorCode::kUsage, "{} bans every token that could come next", step.name);
  }
  return candidates_;
}

Draw Chain::draw(std::span<const float> logits, const History& history, const DrawKey& key) {
  const FloatEnvironment rounding;
  apply(logits, history, key);
  const Candidate best = candidates_.best();
  if (greedy_) return {best.id, -1.0, 1};
  weights_.reserve(vocab_size_);
  weights_.assign(candidates_.all(), best.logit);
  const double u = uniform(key, kDrawNumber);
  const Candidate drawn = candidates_.all()[weights_.pick(u)];
  for (const Step& step : steps_) step.sampler->drew(drawn);
  return {drawn.id, u, candidates_.size()};
}

double logprob(std::span<const float> logits, TokenId id) {
  KELDA_CHECK(id >= 0 && static_cast<std::size_t>(id) < logits.size());
  const FloatEnvironment rounding;
  const float logit = logits[static_cast<std::size_t>(id)];
  if (!can_be_drawn(logit)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(finite_logit(logit)) - log_sum_exp(logits);
}

std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, std::size_t n) {
  const FloatEnvironment rounding;
  std::vector<TokenLogprob> out;
  n = std::min(n, logits.size());
  if (n == 0) return out;
  std::vector<Candidate> best;
  BestOf best_of(n, logits.size(), best);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (can_be_drawn(logits[i])) best_of.offer({static_cast<TokenId>(i), finite_logit(logits[i])});
  }
  best_of.finish(true);
  const double log_total = log_sum_exp(logits);
  for (const Candidate& c : best) out.push_back({c.id, static_cast<double>(c.logit) - log_total});
  return out;
}

}  // namespace kelda::sampling
