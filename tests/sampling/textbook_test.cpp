// The computation that judges the samplers: against worked values, and against the chain without chance.
#include <gtest/gtest.h>

#include <cmath>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

TEST(Textbook, GivesTheWorkedValues) {
  const std::vector<float> logits = {3, 2, 1, 0};
  const auto p = [&](const std::string& settings) {
    return textbook_distribution(logits, {}, knobs_of(settings));
  };
  EXPECT_NEAR(p("{}")[0], .644, 5e-4);
  EXPECT_NEAR(p(R"({"temperature": 2})")[3], .102, 5e-4);
  EXPECT_NEAR(p(R"({"top_p": 0.9})")[2], .0900, 5e-5);
  EXPECT_EQ(p(R"({"top_p": 0.9})")[3], 0);
  EXPECT_NEAR(p(R"({"top_k": 2})")[1], .2689, 5e-5);
  EXPECT_EQ(p(R"({"top_k": 3, "top_p": 0.9})")[2], 0);
  EXPECT_EQ(p(R"({"temperature": 0})"), (std::vector<double>{1, 0, 0, 0}));
}

// A textbook that did nothing would pass beside a sampler that does nothing.
TEST(Textbook, EverySettingOfASamplerChangesTheDistribution) {
  const std::vector<float> logits = selftest_logits();
  const History history = selftest_history();
  const std::vector<double> neutral = textbook_distribution(logits, history, knobs_of("{}"));
  for (const SamplerSpec* spec : samplers()) {
    for (const std::string_view settings : spec->selftest) {
      EXPECT_NE(textbook_distribution(logits, history, knobs_of(std::string(settings))), neutral) << settings;
    }
  }
}

// Without chance: what no number of draws would show.
TEST(Textbook, AndChainLeaveTheSameProbabilities) {
  std::vector<TokenId> prompt, generated;
  for (TokenId id = 0; id < 60; ++id) prompt.push_back(id * 7 % 300);
  for (TokenId id = 0; id < 60; ++id) generated.push_back(id * id % 300);
  const History history{prompt, generated};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<float> logits = some_logits(300, 12, seed);
    for (const SelftestCase& test : selftest_cases()) {
      if (test.steps > 1) continue;
      Knobs knobs = knobs_of(test);
      if (knobs.is_set("xtc_probability"))
        knobs.set("xtc_probability", 1.0, "test");  // leaves nothing to chance
      Chain chain(knobs, logits.size(), selftest_text());
      std::vector<Candidate> chosen;
      for (const Candidate& c : chain.apply(logits, history).all()) chosen.push_back(c);
      if (chain.greedy()) chosen = {chain.apply(logits, history).best()};
      const std::vector<double> expected = textbook_distribution(logits, history, knobs);
      std::vector<double> p(logits.size(), 0.0);
      double total = 0;
      for (const Candidate& c : chosen) {
        total += p[static_cast<std::size_t>(c.id)] = std::exp(static_cast<double>(c.logit));
      }
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_NEAR(p[i] / total, expected[i], 1e-5 * expected[i]) << test.name << ", token " << i;
      }
    }
  }
}

TEST(Textbook, FollowsBothWaysThatChanceMayTake) {
  const std::vector<float> logits = {3, 2, 1, 0};
  const auto p = [&](const char* settings) { return textbook_distribution(logits, {}, knobs_of(settings)); };
  const std::vector<double> never = p("{}"), always = p(R"({"xtc_probability": 1, "xtc_threshold": 0.2})"),
                            mixed = p(R"({"xtc_probability": 0.25, "xtc_threshold": 0.2})");
  EXPECT_EQ(always[0], 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(mixed[i], 0.75 * never[i] + 0.25 * always[i], 1e-15);
}

TEST(Textbook, TellsTheDistributionBeforeTheLastSampler) {
  const std::vector<float> logits = {3, 2, 1, 0};
  const Knobs knobs = knobs_of(R"({"temperature": 2, "top_k": 1})");
  const Textbook t = textbook(logits, {{}, selftest_text(), {}, 4}, knobs);
  EXPECT_NEAR(t.before_last[0], .455, 5e-4);
  EXPECT_EQ(t.p, (std::vector<double>{1, 0, 0, 0}));
}

}  // namespace
}  // namespace kelda::sampling
