#include "sampling/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sampling/draws.h"
#include "sampling/sampler_order.h"

namespace kelda::sampling {
namespace {

TEST(Profiles, AreMadeOfKnobsAndSamplersThatExist) {
  for (const Profile& profile : profiles()) {
    Knobs knobs(request_knobs());
    knobs.set("profile", std::string(profile.name), "request");
    const Knobs filled = with_profile(knobs);
    for (const ProfileValue& v : profile.values) {
      EXPECT_EQ(filled.source(v.knob), "profile " + std::string(profile.name)) << v.knob;
    }
    EXPECT_NO_THROW(ordered_as_asked(samplers_in_order(), filled));
    EXPECT_TRUE(notices(knobs).empty()) << profile.name;
    EXPECT_NO_THROW(Chain(knobs, 300, selftest_text()));
  }
}

TEST(Profiles, AnUnknownOneIsAnErrorWithAGuess) {
  EXPECT_EQ(
      error_of(ErrorCode::kUsage, [] { (void)knobs_of(R"({"profile": "lama.cpp"})"); }),
      "profile must be one of kelda, llama.cpp, vllm, hf; got \"lama.cpp\"; did you mean \"llama.cpp\"?");
}

TEST(Profiles, WhatTheRequestSetsCountsMore) {
  const Knobs knobs =
      with_profile(knobs_of(R"({"profile": "llama.cpp", "top_k": 7, "sampler_order": ["top_k"]})"));
  EXPECT_EQ(knobs.integer("top_k"), 7);
  EXPECT_EQ(knobs.source("top_k"), "request");
  EXPECT_EQ(knobs.texts("sampler_order"), (std::vector<std::string>{"top_k"}));
  EXPECT_EQ(knobs.number("min_p"), 0.05);
}

TEST(Profiles, FillInOnce) {
  const Knobs once = with_profile(knobs_of(R"({"profile": "hf"})")), twice = with_profile(once);
  for (const Knob* knob : request_knobs()) {
    EXPECT_EQ(once.value_of(knob->name), twice.value_of(knob->name)) << knob->name;
    EXPECT_EQ(once.source(knob->name), twice.source(knob->name)) << knob->name;
  }
}

TEST(Profiles, OneTakesThePlaceOfAnother) {
  Knobs knobs = with_profile(knobs_of(R"({"profile": "llama.cpp", "top_p": 0.5})"));
  knobs.set("profile", std::string("hf"), "chat");
  const Knobs hf = with_profile(knobs);
  EXPECT_EQ(hf.integer("top_k"), 50);
  EXPECT_EQ(hf.number("top_p"), 0.5);
  EXPECT_FALSE(hf.is_set("min_p"));
  EXPECT_EQ(hf.source("sampler_order"), "profile hf");
  knobs.set("profile", std::string(), "chat");
  EXPECT_FALSE(with_profile(knobs).is_set("sampler_order"));
}

TEST(Profiles, WithTemperatureZeroOnlyWhatStillCountsIsSet) {
  const Knobs knobs = with_profile(knobs_of(R"({"profile": "llama.cpp", "temperature": 0})"));
  EXPECT_FALSE(knobs.is_set("top_k"));
  EXPECT_EQ(knobs.integer("repetition_window"), 64);
}

// llama.cpp cuts first and applies the temperature last: the same temperature keeps fewer than here.
TEST(Profiles, LlamaCppCutsBeforeTheTemperature) {
  const std::vector<float> logits = {3, 2, 1, 0};
  const std::string more = R"("temperature": 2, "top_p": 0.9, "min_p": 0, "top_k": 0})";
  EXPECT_EQ(ids_left(R"({"profile": "llama.cpp", )" + more, logits).size(), 3u);
  EXPECT_EQ(ids_left(R"({"profile": "kelda", )" + more, logits).size(), 4u);
}

TEST(Profiles, LlamaCppPenalisesInTheLastSixtyFourOfPromptAndOutput) {
  const std::string settings = R"({"profile": "llama.cpp", "presence_penalty": 2, "repetition_penalty": 1.5,
                                   "temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0})";
  std::vector<TokenId> prompt(65, 2);
  prompt[0] = 0;
  prompt[1] = 1;
  const std::vector<float> logits = {1, 1, -20, 1};
  const auto p = left(settings, logits, {prompt, {}});
  EXPECT_EQ(p.at(0), p.at(3)) << "outside of the window";
  EXPECT_NEAR(p.at(1) / p.at(3), std::exp(1 / 1.5 - 2 - 1), 1e-6) << "in the prompt, and counted";
}

TEST(Profiles, VllmTakesMinPBeforeTopK) {
  const std::vector<std::string> order =
      with_profile(knobs_of(R"({"profile": "vllm"})")).texts("sampler_order");
  const auto at = [&](const char* name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  EXPECT_LT(at("temperature"), at("min_p"));
  EXPECT_LT(at("min_p"), at("top_k"));
  EXPECT_LT(at("top_k"), at("top_p"));
  EXPECT_EQ(left(R"({"profile": "vllm"})", {3, 2, 1, 0}), left("{}", {3, 2, 1, 0}));
}

TEST(Profiles, HfKeepsFiftyTokens) {
  EXPECT_EQ(ids_left(R"({"profile": "hf"})", some_logits(300)).size(), 50u);
  EXPECT_EQ(with_profile(knobs_of(R"({"profile": "hf"})")).integer("repetition_window"), -1);
}

TEST(HouseProfile, IsTheOneNamedAfterUs) {
  EXPECT_EQ(house_profile().name, "kelda");
  for (const ProfileValue& v : house_profile().values)
    EXPECT_NE(profile_note().find(fmt::format("{} {}", v.knob, v.value)), std::string::npos);
}

}  // namespace
}  // namespace kelda::sampling
