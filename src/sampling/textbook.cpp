// The exact distribution by the samplers' textbook definitions.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/cpu.h"
#include "sampling/oracle.h"
#include "sampling/profiles.h"
#include "sampling/selftest.h"

namespace kelda::sampling {

double oracle::exp(double x) { return std::exp(x); }
double oracle::log(double x) { return std::log(x); }
double oracle::log2(double x) { return std::log2(x); }
double oracle::pow(double x, double y) { return std::pow(x, y); }

std::vector<TokenId> oracle::text_of(const TextbookPast& past, int64_t window, bool with_prompt) {
  std::vector<TokenId> text;
  if (with_prompt) text.assign(past.history.prompt.begin(), past.history.prompt.end());
  text.insert(text.end(), past.history.generated.begin(), past.history.generated.end());
  while (window >= 0 && static_cast<int64_t>(text.size()) > window) text.erase(text.begin());
  return text;
}

namespace {

using Tokens = std::vector<TextbookToken>;

// Best first, ties by the lowest id, with the probabilities of their softmax.
void sort_and_normalize(Tokens& tokens) {
  std::sort(tokens.begin(), tokens.end(), [](const TextbookToken& a, const TextbookToken& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
  double sum = 0;
  for (TextbookToken& t : tokens) sum += t.p = oracle::exp(t.logit - tokens[0].logit);
  for (TextbookToken& t : tokens) t.p /= sum;
}

// Follows each way that chance may take.
class Computation {
 public:
  Computation(const TextbookPast& past, const Knobs& knobs, const SamplerList& all)
      : past_(past), knobs_(knobs), samplers_(acting(all, knobs)) {
    result_.p.assign(past.vocab_size, 0.0);
    result_.before_last = result_.p;
  }

  const Textbook& of(const Tokens& tokens) {
    go(tokens, 0, 1);
    return result_;
  }

 private:
  // From the i-th sampler on, this way having the probability `weight`.
  void go(Tokens tokens, std::size_t i, double weight) {
    for (; i < samplers_.size(); ++i) {
      const SamplerSpec& spec = *samplers_[i];
      KELDA_CHECK(spec.textbook != nullptr);
      if (i + 1 == samplers_.size()) add(tokens, weight, result_.before_last);
      if (spec.chance != nullptr) {
        const double chance = spec.chance(knobs_);
        if (chance < 1) go(tokens, i + 1, weight * (1 - chance));
        weight *= chance;
      }
      spec.textbook(tokens, past_, knobs_);
      KELDA_CHECK(!tokens.empty());
      sort_and_normalize(tokens);
    }
    if (is_greedy(knobs_)) {
      tokens.erase(tokens.begin() + 1, tokens.end());
      tokens[0].p = 1;
    }
    add(tokens, weight, result_.p);
  }

  static void add(const Tokens& tokens, double weight, std::vector<double>& to) {
    for (const TextbookToken& t : tokens) to[static_cast<std::size_t>(t.id)] += weight * t.p;
  }

  const TextbookPast& past_;
  const Knobs& knobs_;
  SamplerList samplers_;
  Textbook result_;
};

}  // namespace

Textbook textbook(std::span<const float> logits, const TextbookPast& past, const Knobs& asked,
                  const SamplerList& all) {
  const FloatEnvironment rounding;
  const Knobs knobs = with_profile(asked);
  Tokens tokens;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (can_be_drawn(logits[i]))
      tokens.push_back({static_cast<TokenId>(i), static_cast<double>(logits[i]), 0});
  }
  sort_and_normalize(tokens);
  return Computation(past, knobs, all).of(tokens);
}

std::vector<double> textbook_distribution(std::span<const float> logits, const History& history,
                                          const Knobs& knobs) {
  return textbook(logits, {history, selftest_text(), {}, logits.size()}, knobs).p;
}

std::vector<double> textbook_of(const SelftestCase& test, std::span<const float> logits,
                                const History& history, const SamplerList& all) {
  const Knobs knobs = knobs_of(test);
  const Textbook first = textbook(logits, {history, selftest_text(), {}, logits.size()}, knobs, all);
  if (test.steps == 1) return first.p;
  // The second draw: each first token with its probability.
  std::vector<double> p(logits.size(), 0.0);
  std::vector<TokenId> generated(history.generated.begin(), history.generated.end());
  generated.push_back(0);
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (first.p[id] == 0) continue;
    generated.back() = static_cast<TokenId>(id);
    const double surprise[] = {-oracle::log2(first.before_last[id])};
    const TextbookPast past{{history.prompt, generated}, selftest_text(), surprise, logits.size()};
    const Textbook second = textbook(logits, past, knobs, all);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += first.p[id] * second.p[i];
  }
  return p;
}

}  // namespace kelda::sampling
