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
// the same, and few are left to work on. Returns which samplers have come early by that.
std::vector<bool> swap_neighbours(SamplerList& samplers, const Knobs& knobs) {
  std::vector<bool> early(samplers.size(), false);
  for (std::size_t i = 1; i < samplers.size(); ++i) {
    const SamplerSpec& before = *samplers[i - 1];
    if (!samplers[i]->by_order || before.keeps_order == nullptr || !before.keeps_order(knobs)) continue;
    std::swap(samplers[i - 1], samplers[i]);
    early[i - 1] = true;
  }
  return early;
}

}  // namespace

Chain::Chain(const Knobs& asked, std::size_t vocab_size, const TokenText& text, const SamplerList& all)
    : vocab_size_(vocab_size) {
  const FloatEnvironment rounding;  // a denormal knob is not 0
  const Knobs knobs = with_profile(asked);
  greedy_ = is_greedy(knobs);
  SamplerList samplers = acting(all, knobs);
  const std::vector<bool> early = swap_neighbours(samplers, knobs);
  for (std::size_t i = 0; i < samplers.size(); ++i)
    steps_.push_back({samplers[i]->name, samplers[i]->make(knobs, text, vocab_size), early[i]});
}

void Chain::run(const Step& step, Candidates& candidates, const History& history, const DrawKey& key) {
  step.sampler->apply(candidates, history, key);
  if (candidates.size() == 0) fail(ErrorCode::kUsage, "{} bans every token that could come next", step.name);
}

void Chain::run_stages(const History& history, const DrawKey& key) {
  for (const Step& step : steps_) run(step, candidates_, history, key);
}

// The same stages on the same candidates. Where some have come early, a copy is brought to what the order
// says they would have seen and left.
void Chain::run_observed(const History& history, const DrawKey& key) {
  observer_->begins(candidates_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].early) {
      run(steps_[i], candidates_, history, key);
      observer_->ran(steps_[i].name, candidates_);
      continue;
    }
    std::size_t last = i;  // the one that they have overtaken
    while (steps_[last].early) ++last;
    const auto tell = [&](const Step& step) {
      Candidates as_ordered = candidates_;
      run(steps_[last], as_ordered, history, key);
      observer_->ran(step.name, as_ordered);
    };
    tell(steps_[last]);
    for (; i < last; ++i) {
      run(steps_[i], candidates_, history, key);
      tell(steps_[i]);
    }
    run(steps_[last], candidates_, history, key);
  }
}

const Candidates& Chain::apply(std::span<const float> logits, const History& history, const DrawKey& key) {
  KELDA_CHECK(logits.size() == vocab_size_);
  const FloatEnvironment rounding;
  candidates_.assign(logits);
  if (candidates_.size() == 0) fail(ErrorCode::kInternal, "the model gave no logit that is a number");
  if (observer_ == nullptr) {
    run_stages(history, key);
  } else {
    run_observed(history, key);
  }
  return candidates_;
}

Draw Chain::draw(std::span<const float> logits, const History& history, const DrawKey& key) {
  const FloatEnvironment rounding;
  apply(logits, history, key);
  const Candidate best = candidates_.best();
  Draw draw{best.id, -1.0, 1};
  if (!greedy_) {
    weights_.reserve(vocab_size_);
    weights_.assign(candidates_.all(), best.logit);
    const double u = uniform(key, kDrawNumber);
    const Candidate drawn = candidates_.all()[weights_.pick(u)];
    for (const Step& step : steps_) step.sampler->drew(drawn);
    draw = {drawn.id, u, candidates_.size()};
  }
  if (observer_ != nullptr) observer_->drew(draw, candidates_);
  return draw;
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
