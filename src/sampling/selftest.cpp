#include "sampling/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/cpu.h"
#include "sampling/chain.h"
#include "sampling/chi_square.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

constexpr std::size_t kVocab = 300;  // more than one block of Weights
// A p-value outside is a failure: below, the draws do not follow the distribution; above, they follow it too
// well to be random. The draws are fixed, so this decides once, not now and then.
constexpr double kLeastP = 1e-4;

// Best first, ties by the lowest id, with the probabilities of their softmax.
void sort_and_normalize(std::vector<TextbookToken>& tokens) {
  std::sort(tokens.begin(), tokens.end(), [](const TextbookToken& a, const TextbookToken& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
  double sum = 0;
  for (TextbookToken& t : tokens) sum += t.p = std::exp(t.logit - tokens[0].logit);
  for (TextbookToken& t : tokens) t.p /= sum;
}

// Spread over 12 logits, of both signs, in steps of 1/4: with ties everywhere, where the order of the ids
// decides.
std::vector<float> fixed_logits() {
  std::vector<float> logits(kVocab);
  for (std::size_t i = 0; i < kVocab; ++i) {
    logits[i] = static_cast<float>(std::floor(48 * uniform({20, 0, static_cast<uint32_t>(i)}, 0)) / 4 - 7);
  }
  return logits;
}

DrawKey key_of(const SelftestCase& test, uint64_t i) {
  DrawKey key{17, 0, 5};
  if (test.varied == "seed") {
    key.seed = i;
  } else if (test.varied == "choice") {
    key.choice = static_cast<uint32_t>(i);
  } else {
    key.position = static_cast<uint32_t>(i);
  }
  return key;
}

}  // namespace

std::vector<SelftestCase> selftest_cases() {
  std::vector<SelftestCase> cases = {
      {"neutral", {}}, {"neutral, over seeds", {}, "seed"}, {"neutral, over choices", {}, "choice"}};
  SelftestCase all{"every sampler", {}};
  const SamplerSpec* before = nullptr;
  for (const SamplerSpec* spec : samplers_in_order()) {
    KELDA_CHECK(!spec->selftest.empty());
    for (std::size_t i = 0; i < spec->selftest.size(); ++i) {
      const std::string number = i == 0 ? "" : fmt::format(" #{}", i + 1);
      cases.push_back({std::string(spec->name) + number, {spec->selftest[i]}});
    }
    if (before != nullptr) {
      cases.push_back({fmt::format("{}, {}", before->name, spec->name),
                       {before->selftest.front(), spec->selftest.front()}});
    }
    all.settings.push_back(spec->selftest.front());
    before = spec;
  }
  cases.push_back(all);
  return cases;
}

Knobs knobs_of(const SelftestCase& test) {
  Knobs knobs(request_knobs());
  for (const std::string_view settings : test.settings) knobs.set_from_json(settings, "selftest");
  return knobs;
}

std::vector<double> textbook_distribution(std::span<const float> logits, const History& history,
                                          const Knobs& knobs) {
  const FloatEnvironment rounding;
  std::vector<TextbookToken> tokens;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (can_be_drawn(logits[i]))
      tokens.push_back({static_cast<TokenId>(i), static_cast<double>(logits[i]), 0});
  }
  sort_and_normalize(tokens);
  for (const SamplerSpec* spec : samplers_in_order()) {
    KELDA_CHECK(spec->textbook != nullptr);
    spec->textbook(tokens, history, knobs);
    KELDA_CHECK(!tokens.empty());
    sort_and_normalize(tokens);
  }
  std::vector<double> out(logits.size(), 0.0);
  for (const TextbookToken& t : tokens) out[static_cast<std::size_t>(t.id)] = t.p;
  return out;
}

std::vector<SelftestRow> run_selftest(uint64_t draws) {
  KELDA_CHECK(draws >= 1000);
  const std::vector<float> logits = fixed_logits();
  const TokenId prompt[] = {1, 8, 2, 8, 30, 31, 5}, generated[] = {12, 5, 12, 60, 12, 44};
  const History history{prompt, generated};
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : selftest_cases()) {
    const Knobs knobs = knobs_of(test);
    Chain chain(knobs, logits.size());
    std::vector<uint64_t> counts(logits.size(), 0);
    for (uint64_t i = 0; i < draws; ++i) {
      ++counts[static_cast<std::size_t>(chain.draw(logits, history, key_of(test, i)).id)];
    }
    const ChiSquare result = chi_square(counts, textbook_distribution(logits, history, knobs));
    const bool certain = result.dof == 0 && result.p == 1;
    const bool ok = certain || (result.p >= kLeastP && result.p <= 1 - kLeastP);
    rows.push_back({test.name, draws, result.chi2, result.dof, result.p, ok});
  }
  return rows;
}

}  // namespace kelda::sampling
