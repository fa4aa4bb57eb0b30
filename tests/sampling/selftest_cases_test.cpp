// What selftest tries: nothing of the catalogue is left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sampling/draws.h"
#include "sampling/profiles.h"

namespace kelda::sampling {
namespace {

TEST(SelftestCases, EverySamplerBringsItsTextbookAndSettingsForEachOfItsKnobs) {
  for (const SamplerSpec* spec : samplers()) {
    EXPECT_NE(spec->textbook, nullptr) << spec->name;
    std::string all;
    for (const std::string_view settings : spec->selftest) all += settings;
    for (const Knob& knob : spec->knobs) {
      EXPECT_NE(all.find('"' + std::string(knob.name) + '"'), std::string::npos) << knob.name;
    }
  }
}

TEST(SelftestCases, TriesEachSettingEachNeighbourAndAllTogether) {
  std::set<std::string> names;
  std::set<std::string> alone;
  for (const SelftestCase& test : selftest_cases()) {
    EXPECT_TRUE(names.insert(test.name).second) << test.name;
    if (test.settings.size() == 1 && test.steps == 1) alone.insert(test.settings[0]);
  }
  for (const SamplerSpec* spec : samplers()) {
    for (const std::string_view settings : spec->selftest)
      EXPECT_EQ(alone.count(std::string(settings)), 1u) << settings;
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
  for (const char* name :
       {"neutral", "every sampler", "every sampler, mirostat", "second draw, every sampler"})
    EXPECT_EQ(names.count(name), 1u) << name;
  const Knobs all = knobs_of(selftest_cases().back());
  for (const SamplerSpec* spec : samplers())
    EXPECT_EQ(spec->is_on(all), spec->replaces == nullptr) << spec->name;
}

TEST(SelftestCases, CoverTheOrderOfEachProfile) {
  for (const Profile& profile : profiles()) {
    const std::string name = fmt::format("every sampler, profile {}", profile.name);
    const auto cases = selftest_cases();
    const auto test =
        std::find_if(cases.begin(), cases.end(), [&](const SelftestCase& c) { return c.name == name; });
    ASSERT_NE(test, cases.end()) << name;
    EXPECT_EQ(knobs_of(*test).text("profile"), profile.name);
  }
}

// Each history sampler has something to find in it.
TEST(SelftestCases, TheTextRepeatsItself) {
  const History history = selftest_history();
  const std::vector<double> neutral = textbook_distribution(selftest_logits(), history, knobs_of("{}"));
  for (const char* settings : {R"({"dry_multiplier": 1})", R"({"no_repeat_ngram_size": 3})"})
    EXPECT_NE(textbook_distribution(selftest_logits(), history, knobs_of(settings)), neutral) << settings;
}

TEST(SelftestCases, TheVocabularyReadsWhatItWrites) {
  const TokenText& text = selftest_text();
  std::string all;
  for (TokenId id = 0; id < 300; ++id) {
    EXPECT_FALSE(text.bytes(id).empty());
    all += text.bytes(id);
  }
  std::string back;
  for (const TokenId id : text.encode(all)) back += text.bytes(id);
  EXPECT_EQ(back, all);
  EXPECT_EQ(text.bytes(300), "");
  EXPECT_EQ(text.bytes(-1), "");
}

}  // namespace
}  // namespace kelda::sampling
