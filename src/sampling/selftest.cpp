#include "sampling/selftest.h"

#include "base/check.h"
#include "sampling/chain.h"
#include "sampling/chi_square.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

// A p-value outside is a failure: below, the draws do not follow the distribution; above, they follow it too
// well to be random. The draws are fixed, so this decides once, not now and then.
constexpr double kLeastP = 1e-4;

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

TokenId draw_case(Chain& chain, const SelftestCase& test, std::span<const float> logits,
                  const History& history, std::vector<TokenId>& generated, uint64_t i) {
  if (test.steps == 1) return chain.draw(logits, history, key_of(test, i)).id;
  generated.assign(history.generated.begin(), history.generated.end());
  generated.push_back(chain.draw(logits, history, key_of(test, 2 * i)).id);
  return chain.draw(logits, {history.prompt, generated}, key_of(test, 2 * i + 1)).id;
}

}  // namespace

Knobs knobs_of(const SelftestCase& test) {
  Knobs knobs(request_knobs());
  for (const std::string& settings : test.settings) knobs.set_from_json(settings, "selftest");
  return knobs;
}

SelftestRow run_case(const SelftestCase& test, std::span<const float> logits, const History& history,
                     uint64_t draws, const SamplerList& all) {
  KELDA_CHECK(draws >= 1000);
  Chain chain(knobs_of(test), logits.size(), selftest_text(), all);
  std::vector<uint64_t> counts(logits.size(), 0);
  std::vector<TokenId> generated;
  for (uint64_t i = 0; i < draws; ++i) {
    ++counts[static_cast<std::size_t>(draw_case(chain, test, logits, history, generated, i))];
  }
  const ChiSquare result = chi_square(counts, textbook_of(test, logits, history, all));
  const bool certain = result.dof == 0 && result.p == 1;
  const bool ok = certain || (result.p >= kLeastP && result.p <= 1 - kLeastP);
  return {test.name, draws, result.chi2, result.dof, result.p, ok};
}

std::vector<SelftestRow> run_selftest(uint64_t draws, const SamplerList& all) {
  const std::vector<float> logits = selftest_logits();
  std::vector<SelftestRow> rows;
  for (const SelftestCase& test : selftest_cases(all))
    rows.push_back(run_case(test, logits, selftest_history(), draws, all));
  return rows;
}

}  // namespace kelda::sampling
