// What a request is told about knobs that do nothing.
#include <fmt/format.h>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

using Sentences = std::vector<std::string>;

TEST(Notices, NameWhatHasNoEffectBesideTemperatureZero) {
  EXPECT_EQ(notices(knobs_of(
                R"({"temperature": 0, "top_k": 5, "top_p": 0.5, "seed": 1, "repetition_penalty": 1.1})")),
            (Sentences{"top_k has no effect: temperature 0 always takes the likeliest token",
                       "top_p has no effect: temperature 0 always takes the likeliest token",
                       "seed has no effect: temperature 0 always takes the likeliest token"}));
}

TEST(Notices, TopKOneDecidesEverything) {
  EXPECT_EQ(notices(knobs_of(R"({"temperature": 2, "top_k": 1, "min_p": 0.5, "seed": 1})")),
            (Sentences{"temperature has no effect: top_k 1 leaves only the likeliest token",
                       "min_p has no effect: top_k 1 leaves only the likeliest token",
                       "seed has no effect: top_k 1 leaves only the likeliest token"}));
}

TEST(Notices, ThePenaltyAndItsWindowNeedEachOther) {
  EXPECT_EQ(notices(knobs_of(R"({"repetition_window": 64})")),
            (Sentences{"repetition_window has no effect: repetition_penalty is 1, which is off"}));
  EXPECT_EQ(notices(knobs_of(R"({"repetition_penalty": 1.5, "repetition_window": 0})")),
            (Sentences{"repetition_penalty has no effect: repetition_window is 0, which is off"}));
}

TEST(Notices, TheFirstThatDecidesGivesTheReason) {
  EXPECT_EQ(notices(knobs_of(R"({"temperature": 0, "top_k": 1, "logit_bias": {"1": 1}})")),
            (Sentences{"top_k has no effect: temperature 0 always takes the likeliest token"}));
}

TEST(Notices, APolicysOwnKnobsNeedThePolicy) {
  EXPECT_EQ(notices(knobs_of(R"({"context_keep": "start", "answer_room": 5, "split_overlap": 0.2})")),
            (Sentences{"context_keep has no effect: context_policy is refuse",
                       "answer_room has no effect: context_policy is refuse",
                       "split_overlap has no effect: context_policy is refuse"}));
  EXPECT_EQ(
      notices(knobs_of(R"({"context_policy": "split", "context_keep": "start", "split_question": "first"})")),
      (Sentences{"context_keep has no effect: context_policy is split"}));
  EXPECT_TRUE(
      notices(knobs_of(R"({"context_policy": "truncate", "context_keep": "start", "answer_room": 5})"))
          .empty());
}

// What a sampler says of itself is true: with it, the rest changes no outcome.
TEST(Notices, WhatDecidesLeavesOneToken) {
  const std::vector<float> logits = some_logits(300);
  for (const std::string settings : {R"({"temperature": 0})", R"({"top_k": 1})"}) {
    const Knobs knobs = knobs_of(settings);
    int deciders = 0;
    for (const SamplerSpec* spec : samplers()) {
      deciders += spec->decides != nullptr && !spec->decides(knobs).empty() ? 1 : 0;
    }
    EXPECT_EQ(deciders, 1) << settings;
    const std::vector<TokenId> drawn = draw_many(settings, logits, 50);
    EXPECT_EQ(std::set<TokenId>(drawn.begin(), drawn.end()).size(), 1u) << settings;
  }
}

TEST(Notices, AreSilentWhereEverythingCounts) {
  for (const std::string settings :
       {R"({})", R"({"temperature": 0})", R"({"temperature": 0, "top_k": 0, "top_p": 1, "seed": -1})",
        R"({"temperature": 0.7, "top_k": 40, "top_p": 0.9, "min_p": 0.05, "seed": 1})", R"({"top_k": 1})",
        R"({"temperature": 0, "logit_bias": {"1": 1}, "frequency_penalty": 1, "max_tokens": 5})"}) {
    EXPECT_TRUE(notices(knobs_of(settings)).empty()) << settings;
  }
}

TEST(Notices, NameWhatIsNotInTheOrder) {
  EXPECT_EQ(
      notices(knobs_of(R"({"sampler_order": ["top_k"], "top_k": 5, "top_p": 0.5, "dry_multiplier": 1})")),
      (Sentences{"dry_multiplier has no effect: sampler_order does not name dry",
                 "top_p has no effect: sampler_order does not name top_p"}));
  EXPECT_EQ(notices(knobs_of(R"({"profile": "vllm", "typical_p": 0.5})")),
            (Sentences{"typical_p has no effect: sampler_order does not name typical_p"}));
}

TEST(Notices, TellWhatAProfileSetAndAnOrderOfOnesOwnLeavesOut) {
  const Sentences told = notices(knobs_of(R"({"profile": "llama.cpp", "sampler_order": ["top_k"]})"));
  EXPECT_NE(std::find(told.begin(), told.end(), "top_p has no effect: sampler_order does not name top_p"),
            told.end());
  EXPECT_EQ(std::find(told.begin(), told.end(), "top_k has no effect: sampler_order does not name top_k"),
            told.end());
}

TEST(Notices, DoNotTellOfWhatAProfileSet) {
  for (const std::string more : {"", R"(, "temperature": 0)", R"(, "mirostat": 2)", R"(, "top_k": 1)"}) {
    for (const std::string_view profile : {"kelda", "llama.cpp"}) {
      const std::string settings = fmt::format(R"({{"profile": "{}"{}}})", profile, more);
      EXPECT_TRUE(notices(knobs_of(settings)).empty()) << settings;
    }
  }
}

TEST(Notices, MirostatTakesThePlaceOfWhatCuts) {
  EXPECT_EQ(notices(knobs_of(R"({"mirostat": 2, "top_p": 0.9, "top_k": 1, "xtc_probability": 0.5, "seed": 1,
                                 "temperature": 0.7, "repetition_penalty": 1.1})")),
            (Sentences{"top_k has no effect: mirostat takes its place",
                       "top_p has no effect: mirostat takes its place",
                       "xtc_probability has no effect: mirostat takes its place"}));
  EXPECT_EQ(notices(knobs_of(R"({"mirostat": 2, "temperature": 0})")),
            (Sentences{"mirostat has no effect: temperature 0 always takes the likeliest token"}));
}

TEST(Notices, NameKnobsOfASamplerThatIsOff) {
  const std::map<std::string, Sentences> table = {
      {R"({"dry_base": 2, "dry_window": 64})",
       {"dry_window has no effect: dry_multiplier is 0, which is off",
        "dry_base has no effect: dry_multiplier is 0, which is off"}},
      {R"({"dry_multiplier": 1, "dry_window": 0})",
       {"dry_multiplier has no effect: dry_window is 0, which is off"}},
      {R"({"xtc_threshold": 0.2})", {"xtc_threshold has no effect: xtc_probability is 0, which is off"}},
      {R"({"xtc_probability": 0.5, "xtc_threshold": 0.51})",
       {"xtc_probability has no effect: xtc_threshold is above 0.5, and no two tokens are both that likely"}},
      {R"({"mirostat_tau": 3})", {"mirostat_tau has no effect: mirostat is 0, which is off"}},
      {R"({"dynatemp_exponent": 2})", {"dynatemp_exponent has no effect: dynatemp_range is 0, which is off"}},
      {R"({"temperature": 0, "dynatemp_range": 1})",
       {"dynatemp_range has no effect: temperature 0 always takes the likeliest token"}},
      {R"({"no_repeat_ngram_output_only": true})",
       {"no_repeat_ngram_output_only has no effect: no_repeat_ngram_size is 0, which is off"}},
      {R"({"frequency_window": 5})",
       {"frequency_window has no effect: frequency_penalty and presence_penalty are 0, which is off"}},
      {R"({"frequency_window": 0, "presence_penalty": 1})",
       {"presence_penalty has no effect: frequency_window is 0, which is off"}},
      {R"({"min_p": 1, "temperature": 0.5})",
       {"temperature has no effect: min_p 1 leaves only the likeliest token and its equals"}},
      {R"({"min_p": 1, "temperature": 0.5, "mirostat": 1})",
       {"min_p has no effect: mirostat takes its place"}}};
  for (const auto& [settings, expected] : table) EXPECT_EQ(notices(knobs_of(settings)), expected) << settings;
}

// What may take away the best token before top_k 1 still counts, and with XTC the seed does.
TEST(Notices, ADeciderDoesNotSilenceWhatChoosesTheBest) {
  EXPECT_EQ(
      notices(knobs_of(R"({"sampler_order": ["temperature", "xtc", "min_p", "top_k", "repetition_penalty"],
                                 "xtc_probability": 0.5, "top_k": 1, "temperature": 2, "min_p": 0.1, "seed": 1,
                                 "repetition_penalty": 1.5})")),
      (Sentences{"min_p has no effect: top_k 1 leaves only the likeliest token",
                 "repetition_penalty has no effect: top_k 1 leaves only the likeliest token"}));
}

}  // namespace
}  // namespace kelda::sampling
