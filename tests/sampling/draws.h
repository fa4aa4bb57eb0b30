// Chains from settings as a request gives them, and what comes out.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error_of.h"
#include "sampling/chain.h"
#include "sampling/request_knobs.h"
#include "sampling/selftest.h"

namespace kelda::sampling {

inline Knobs knobs_of(const std::string& settings) {
  Knobs knobs(request_knobs());
  knobs.set_from_json(settings, "request");
  return knobs;
}

// Probabilities of what is left after the chain, by id.
inline std::map<TokenId, double> left(const std::string& settings, const std::vector<float>& logits,
                                      const History& history = {}, const DrawKey& key = {}) {
  Chain chain(knobs_of(settings), logits.size(), selftest_text());
  const Candidates& candidates = chain.apply(logits, history, key);
  Weights weights;
  weights.assign(candidates.all(), candidates.best().logit);
  std::map<TokenId, double> out;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    out[candidates.all()[i].id] = weights.each()[i] / weights.total();
  }
  return out;
}

inline std::set<TokenId> ids_left(const std::string& settings, const std::vector<float>& logits,
                                  const History& history = {}, const DrawKey& key = {}) {
  std::set<TokenId> out;
  for (const auto& [id, p] : left(settings, logits, history, key)) out.insert(id);
  return out;
}

inline std::vector<TokenId> draw_many(const std::string& settings, const std::vector<float>& logits, int n,
                                      uint64_t seed = 1, const History& history = {}) {
  Chain chain(knobs_of(settings), logits.size(), selftest_text());
  std::vector<TokenId> out;
  for (int i = 0; i < n; ++i) {
    out.push_back(chain.draw(logits, history, {seed, 0, static_cast<uint32_t>(i)}).id);
  }
  return out;
}

// Fixed logits without order, in [-span / 2, span / 2).
inline std::vector<float> some_logits(std::size_t n, double span = 12, uint64_t seed = 3) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<float>(span * (uniform({seed, 0, static_cast<uint32_t>(i)}, 0) - 0.5));
  }
  return out;
}

}  // namespace kelda::sampling
