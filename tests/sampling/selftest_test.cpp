#include "sampling/selftest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sampling/chi_square.h"
#include "sampling/draws.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

TEST(Selftest, EveryCasePasses) {
  for (const SelftestRow& row : run_selftest(10000)) {
    EXPECT_TRUE(row.ok) << row.name << ": chi2 " << row.chi2 << ", dof " << row.dof << ", p " << row.p;
    EXPECT_EQ(row.draws, 10000u);
  }
}

TEST(Selftest, EverySamplerBringsItsTextbookAndSettingsForEachOfItsKnobs) {
  for (const SamplerSpec* spec : samplers()) {
    EXPECT_NE(spec->textbook, nullptr) << spec->name;
    std::string all;
    for (const std::string_view settings : spec->selftest) all += settings;
    for (const Knob& knob : spec->knobs) {
      EXPECT_NE(all.find('"' + std::string(knob.name) + '"'), std::string::npos) << knob.name;
    }
  }
}

// A textbook that did nothing would pass beside a sampler that does nothing.
TEST(Selftest, EverySettingOfASamplerChangesTheDistribution) {
  const std::vector<float> logits = some_logits(300);
  const std::vector<TokenId> prompt = {1, 8, 2, 8, 30, 31, 5}, generated = {12, 5, 12, 60, 12, 44};
  const History history{prompt, generated};
  const std::vector<double> neutral = textbook_distribution(logits, history, knobs_of("{}"));
  for (const SamplerSpec* spec : samplers()) {
    for (const std::string_view settings : spec->selftest) {
      EXPECT_NE(textbook_distribution(logits, history, knobs_of(std::string(settings))), neutral) << settings;
    }
  }
}

TEST(Selftest, TriesEachSettingEachNeighbourAndAllTogether) {
  std::set<std::string> names;
  std::set<std::string_view> alone;
  for (const SelftestCase& test : selftest_cases()) {
    EXPECT_TRUE(names.insert(test.name).second) << test.name;
    if (test.settings.size() == 1) alone.insert(test.settings[0]);
  }
  for (const SamplerSpec* spec : samplers()) {
    for (const std::string_view settings : spec->selftest) EXPECT_EQ(alone.count(settings), 1u) << settings;
  }
  // Neighbours are those of the chain: whatever samplers there are between two others.
  std::string before;
  for (const SamplerSpec* spec : samplers_in_order()) {
    if (spec->stage < Stage::kTemperature) continue;
    if (!before.empty()) {
      EXPECT_EQ(names.count(fmt::format("{}, {}", before, spec->name)), 1u) << before << ", " << spec->name;
    }
    before = spec->name;
  }
  for (const char* name : {"neutral", "every sampler"}) EXPECT_EQ(names.count(name), 1u) << name;
  const Knobs all = knobs_of(selftest_cases().back());
  for (const SamplerSpec* spec : samplers()) EXPECT_NE(spec->make(all), nullptr) << spec->name;
}

// Without chance: what no number of draws would show.
TEST(Selftest, ChainAndTextbookLeaveTheSameProbabilities) {
  std::vector<TokenId> prompt, generated;
  for (TokenId id = 0; id < 60; ++id) prompt.push_back(id * 7 % 300);
  for (TokenId id = 0; id < 60; ++id) generated.push_back(id * id % 300);
  const History history{prompt, generated};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<float> logits = some_logits(300, 12, seed);
    for (const SelftestCase& test : selftest_cases()) {
      const Knobs knobs = knobs_of(test);
      Chain chain(knobs, logits.size());
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

TEST(Selftest, TheTextbookGivesTheWorkedValues) {
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

// A distribution that is a little off is seen: the test that says "ok" can also say no.
TEST(Selftest, DrawsOfOtherSettingsDoNotPass) {
  const std::vector<float> logits = some_logits(64);
  const auto p_value = [&](const std::string& drawn, const std::string& expected) {
    std::vector<uint64_t> counts(logits.size(), 0);
    for (const TokenId id : draw_many(drawn, logits, 50000)) ++counts[static_cast<std::size_t>(id)];
    return chi_square(counts, textbook_distribution(logits, {}, knobs_of(expected))).p;
  };
  EXPECT_GT(p_value("{}", "{}"), 1e-4);
  EXPECT_LT(p_value("{}", R"({"temperature": 1.05})"), 1e-4);
  EXPECT_LT(p_value(R"({"top_k": 12})", R"({"top_k": 13})"), 1e-4);
  EXPECT_LT(p_value(R"({"top_k": 13})", R"({"top_k": 12})"), 1e-4);
  EXPECT_LT(p_value(R"({"min_p": 0.1})", "{}"), 1e-4);
}

}  // namespace
}  // namespace kelda::sampling
