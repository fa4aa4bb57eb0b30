#include "engine/logprobs.h"

#include <algorithm>

#include "base/check.h"
#include "base/cpu.h"
#include "base/math.h"
#include "sampling/softmax.h"

namespace kelda {

TokenReport raw_report(std::span<const float> logits, TokenId id, std::size_t n) {
  TokenReport report{.id = id, .top = sampling::top_logprobs(logits, n)};
  const auto listed = std::find_if(report.top.begin(), report.top.end(),
                                   [&](const sampling::TokenLogprob& t) { return t.id == id; });
  report.logprob = listed != report.top.end() ? listed->logprob : sampling::logprob(logits, id);
  return report;
}

TokenReport::Processed processed_report(const sampling::Chain& chain, TokenId drawn, std::size_t n) {
  const FloatEnvironment rounding;
  TokenReport::Processed out;
  if (chain.greedy()) {
    if (n > 0) out.top.push_back({drawn, 0.0});
    return out;
  }
  const std::span<const sampling::Candidate> left = chain.left().all();
  const double max = chain.left().best().logit;
  sampling::Weights weights;
  weights.assign(left, chain.left().best().logit);
  const double log_total = log_f64(weights.total());
  const auto logprob_of = [&](float logit) { return static_cast<double>(logit) - max - log_total; };
  const auto at = std::lower_bound(left.begin(), left.end(), drawn,
                                   [](const sampling::Candidate& c, TokenId id) { return c.id < id; });
  KELDA_CHECK(at != left.end() && at->id == drawn);
  out.logprob = logprob_of(at->logit);
  n = std::min(n, left.size());
  if (n == 0) return out;
  std::vector<sampling::Candidate> best;
  sampling::BestOf best_of(n, left.size(), best);
  for (const sampling::Candidate& c : left) best_of.offer(c);
  best_of.finish(true);
  for (const sampling::Candidate& c : best) out.top.push_back({c.id, logprob_of(c.logit)});
  return out;
}

}  // namespace kelda
