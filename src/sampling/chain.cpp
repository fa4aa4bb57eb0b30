#include "sampling/chain.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/cpu.h"
#include "base/error.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

void check_ids(const Knobs& knobs, std::size_t vocab_size) {
  for (const Knob* knob : knobs.known()) {
    if (knob->type != KnobType::kTokenBias) continue;
    const TokenBias& biases = knobs.token_bias(knob->name);
    if (biases.empty()) continue;
    const int32_t largest = biases.rbegin()->first;
    if (static_cast<std::size_t>(largest) >= vocab_size) {
      fail(ErrorCode::kUsage, "{} names the token id {}; the model's ids are 0 to {}", knob->name, largest,
           vocab_size - 1);
    }
  }
}

}  // namespace

Chain::Chain(const Knobs& knobs, std::size_t vocab_size) : vocab_size_(vocab_size) {
  const FloatEnvironment rounding;  // a denormal knob is not 0
  greedy_ = knobs.number("temperature") == 0;
  check_ids(knobs, vocab_size);
  for (const SamplerSpec* spec : samplers_in_order()) {
    if (greedy_ && spec->stage >= Stage::kTemperature) break;
    if (auto sampler = spec->make(knobs)) stages_.push_back(std::move(sampler));
  }
}

const Candidates& Chain::apply(std::span<const float> logits, const History& history) {
  KELDA_CHECK(logits.size() == vocab_size_);
  const FloatEnvironment rounding;
  candidates_.assign(logits);
  if (candidates_.size() == 0) fail(ErrorCode::kInternal, "the model gave no logit that is a number");
  for (const auto& stage : stages_) {
    stage->apply(candidates_, history);
    if (candidates_.size() == 0) fail(ErrorCode::kUsage, "logit_bias bans every token that could come next");
  }
  return candidates_;
}

Draw Chain::draw(std::span<const float> logits, const History& history, const DrawKey& key) {
  const FloatEnvironment rounding;
  apply(logits, history);
  const Candidate best = candidates_.best();
  if (greedy_) return {best.id, -1.0, 1};
  weights_.reserve(vocab_size_);
  weights_.assign(candidates_.all(), best.logit);
  const double u = uniform(key, 0);
  return {candidates_.all()[weights_.pick(u)].id, u, candidates_.size()};
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
