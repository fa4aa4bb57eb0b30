#include "sampling/selftest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/check.h"
#include "sampling/chain.h"
#include "sampling/chi_square.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

constexpr std::size_t kVocab = 300;  // more than one block of Weights
// A p-value outside is a failure: below, the draws do not follow the distribution; above, they follow it too
// well to be random. The draws are fixed, so this decides once, not now and then.
constexpr double kLeastP = 1e-4;

constexpr SelftestCase kCases[] = {
    {"neutral", R"({})"},
    {"neutral, over seeds", R"({})", "seed"},
    {"neutral, over choices", R"({})", "choice"},
    {"logit_bias", R"({"logit_bias": {"3": -100, "5": 2.5, "7": -1, "40": 4}})"},
    {"repetition_penalty", R"({"repetition_penalty": 1.5})"},
    {"repetition_penalty, window", R"({"repetition_penalty": 1.8, "repetition_window": 6})"},
    {"frequency_penalty", R"({"frequency_penalty": 0.7})"},
    {"presence_penalty", R"({"presence_penalty": 1.2})"},
    {"temperature 0", R"({"temperature": 0})"},
    {"temperature 0.5", R"({"temperature": 0.5})"},
    {"temperature 2", R"({"temperature": 2})"},
    {"top_k", R"({"top_k": 12})"},
    {"top_p", R"({"top_p": 0.9})"},
    {"min_p", R"({"min_p": 0.05})"},
    {"top_k, top_p", R"({"top_k": 12, "top_p": 0.8})"},
    {"temperature, top_p", R"({"temperature": 1.7, "top_p": 0.95})"},
    {"temperature, top_k, top_p, min_p",
     R"({"temperature": 1.3, "top_k": 30, "top_p": 0.95, "min_p": 0.02})"},
    {"everything",
     R"({"logit_bias": {"1": 3, "9": -100}, "repetition_penalty": 1.2, "repetition_window": 8, "frequency_penalty": 0.3,
         "presence_penalty": 0.4, "temperature": 1.4, "top_k": 40, "top_p": 0.97, "min_p": 0.01})"},
};

struct Token {
  TokenId id;
  double logit;
  double p = 0;
};

void normalize(std::vector<Token>& tokens) {
  double max = tokens[0].logit, sum = 0;
  for (const Token& t : tokens) max = std::max(max, t.logit);
  for (Token& t : tokens) sum += t.p = std::exp(t.logit - max);
  for (Token& t : tokens) t.p /= sum;
}

void reweight(std::vector<Token>& tokens, const History& history, const Knobs& knobs) {
  for (const auto& [id, bias] : knobs.token_bias("logit_bias")) {
    for (Token& t : tokens) {
      if (t.id == id) t.logit = bias == -100 ? -INFINITY : t.logit + bias;
    }
  }
  std::erase_if(tokens, [](const Token& t) { return t.logit == -INFINITY || std::isnan(t.logit); });

  std::vector<TokenId> text(history.prompt.begin(), history.prompt.end());
  text.insert(text.end(), history.generated.begin(), history.generated.end());
  const int64_t window = knobs.integer("repetition_window"), length = static_cast<int64_t>(text.size());
  const int64_t first = window < 0 ? 0 : std::max<int64_t>(0, length - window);
  const std::set<TokenId> said(text.begin() + first, text.end());
  std::map<TokenId, int> counts;
  for (const TokenId id : history.generated) ++counts[id];
  const double penalty = knobs.number("repetition_penalty");
  for (Token& t : tokens) {
    if (said.count(t.id) > 0) t.logit = t.logit < 0 ? t.logit * penalty : t.logit / penalty;
    if (counts.count(t.id) == 0) continue;
    t.logit -= knobs.number("frequency_penalty") * counts[t.id] + knobs.number("presence_penalty");
  }
}

void truncate(std::vector<Token>& tokens, const Knobs& knobs) {
  const auto k = static_cast<std::size_t>(knobs.integer("top_k"));
  if (k > 0 && k < tokens.size()) tokens.erase(tokens.begin() + knobs.integer("top_k"), tokens.end());
  normalize(tokens);
  if (knobs.number("top_p") < 1) {
    double mass = 0;
    std::size_t n = 0;
    while (n < tokens.size() && mass < knobs.number("top_p")) mass += tokens[n++].p;
    tokens.resize(n, Token{0, 0});
    normalize(tokens);
  }
  const double least = knobs.number("min_p") * tokens[0].p;
  std::erase_if(tokens, [least](const Token& t) { return t.p < least; });
  normalize(tokens);
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

std::span<const SelftestCase> selftest_cases() { return kCases; }

std::vector<double> textbook_distribution(std::span<const float> logits, const History& history,
                                          const Knobs& knobs) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    tokens.push_back({static_cast<TokenId>(i), static_cast<double>(logits[i])});
  }
  reweight(tokens, history, knobs);
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
  std::vector<double> out(logits.size(), 0.0);
  const double temperature = knobs.number("temperature");
  if (temperature == 0) {
    out[static_cast<std::size_t>(tokens[0].id)] = 1;
    return out;
  }
  for (Token& t : tokens) t.logit /= temperature;
  truncate(tokens, knobs);
  for (const Token& t : tokens) out[static_cast<std::size_t>(t.id)] = t.p;
  return out;
}

std::vector<SelftestRow> run_selftest(uint64_t draws) {
  KELDA_CHECK(draws >= 1000);
  const std::vector<float> logits = fixed_logits();
  const TokenId prompt[] = {1, 8, 2, 8, 30, 31, 5}, generated[] = {12, 5, 12, 60, 12, 44};
  const History history{prompt, generated};
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : kCases) {
    Knobs knobs(request_knobs());
    knobs.set_from_json(test.settings, "selftest");
    Chain chain(knobs, logits.size());
    std::vector<uint64_t> counts(logits.size(), 0);
    for (uint64_t i = 0; i < draws; ++i) {
      ++counts[static_cast<std::size_t>(chain.draw(logits, history, key_of(test, i)).id)];
    }
    const ChiSquare result = chi_square(counts, textbook_distribution(logits, history, knobs));
    const bool certain = result.dof == 0 && result.p == 1;
    const bool ok = certain || (result.p >= kLeastP && result.p <= 1 - kLeastP);
    rows.push_back({std::string(test.name), draws, result.chi2, result.dof, result.p, ok});
  }
  return rows;
}

}  // namespace kelda::sampling
