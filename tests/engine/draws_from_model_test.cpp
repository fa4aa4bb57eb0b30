// Selftest's cases once more, on the logits of a real model (KELDA_TEST_MODEL): a vocabulary a hundred times
// as large, and probabilities as models give them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/runner.h"
#include "sampling/chain.h"
#include "sampling/selftest.h"
#include "sampling/softmax.h"
#include "test_model.h"

namespace kelda {
namespace {

using namespace sampling;

class DrawsFromModel : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = testing::test_model();
    if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
    ThreadPool pool(2);
    Runner runner(Model::load(*path, {}, pool), {KvType::kF16, 0, 128}, pool);
    const std::vector<TokenId> ids =
        runner.model().tokenizer().encode("The weather in the mountains is", text::Special::kText);
    runner.all_logits(ids, 64,
                      [&](int64_t, std::span<const float> row) { logits_.assign(row.begin(), row.end()); });
    for (std::size_t i = 0; i < prompt_.size(); ++i) prompt_[i] = ids[i % ids.size()];
    generated_ = {ids.back(), ids.front(), ids[1], ids[2], ids.front()};
  }

  History history() const { return {prompt_, generated_}; }
  static bool is_long() { return std::getenv("KELDA_TEST_LONG") != nullptr; }
  // Each sampler in its first setting, and the compositions.
  static std::vector<SelftestCase> cases() {
    std::vector<SelftestCase> out;
    for (const SelftestCase& test : selftest_cases()) {
      const bool varied =
          test.name.find('#') != std::string::npos || test.name.find("over") != std::string::npos;
      if (!varied && (test.settings.size() != 2 || is_long())) out.push_back(test);
    }
    return out;
  }

  std::vector<float> logits_;
  std::vector<TokenId> prompt_ = std::vector<TokenId>(12), generated_;
};

TEST_F(DrawsFromModel, ChainAndTextbookLeaveTheSameProbabilities) {
  for (const SelftestCase& test : selftest_cases()) {
    if (test.steps > 1) continue;
    Knobs knobs = knobs_of(test);
    if (knobs.is_set("xtc_probability"))
      knobs.set("xtc_probability", 1.0, "test");  // leaves nothing to chance
    Chain chain(knobs, logits_.size(), selftest_text());
    const Candidates& left = chain.apply(logits_, history());
    const Candidate best = left.best();
    std::vector<Candidate> chosen = {best};
    if (!chain.greedy()) chosen.assign(left.all().begin(), left.all().end());
    const std::vector<double> expected = textbook_distribution(logits_, history(), knobs);
    std::vector<double> p(logits_.size(), 0.0);
    double total = 0;
    for (const Candidate& c : chosen) {
      total += p[static_cast<std::size_t>(c.id)] =
          std::exp(static_cast<double>(c.logit) - static_cast<double>(best.logit));
    }
    // Logits are floats between the stages, so the last one of a prefix may fall either way: that much may
    // differ.
    double difference = 0;
    for (std::size_t i = 0; i < p.size(); ++i) difference += std::abs(p[i] / total - expected[i]);
    EXPECT_LT(difference, 1e-4) << test.name;
  }
}

// A share of the cases per test.
constexpr std::size_t kShares = 8;
class ShareOfDrawsFromModel : public DrawsFromModel, public ::testing::WithParamInterface<std::size_t> {
 protected:
  static void expect_exact(const std::vector<float>& logits, const History& history, uint64_t draws) {
    const std::vector<SelftestCase> all = cases();
    ASSERT_GE(all.size(), kShares);
    for (std::size_t i = GetParam(); i < all.size(); i += kShares) {
      const SelftestRow row = run_case(all[i], logits, history, draws);
      EXPECT_TRUE(row.ok) << row.name << ": chi2 " << row.chi2 << ", dof " << row.dof << ", p " << row.p;
    }
  }
};

TEST_P(ShareOfDrawsFromModel, FollowTheExactDistribution) {
  expect_exact(logits_, history(), is_long() ? 20000 : 1000);
}

// A million draws each, from the likeliest 4,096 tokens.
TEST_P(ShareOfDrawsFromModel, FollowItOverAMillionDraws) {
  if (!is_long()) GTEST_SKIP() << "KELDA_TEST_LONG is not set";
  std::vector<float> best = logits_;
  std::sort(best.begin(), best.end(), std::greater<>());
  best.resize(4096);
  for (std::size_t i = 0; i < best.size(); ++i) std::swap(best[i], best[i * 2654435761u % best.size()]);
  expect_exact(best, selftest_history(), 1000000);
}

INSTANTIATE_TEST_SUITE_P(Cases, ShareOfDrawsFromModel, ::testing::Range(std::size_t{0}, kShares));

}  // namespace
}  // namespace kelda
