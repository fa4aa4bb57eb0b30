#include "sampling/request_knobs.h"

#include <algorithm>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

TEST(RequestKnobs, ThePublishedOnesKeepTheirOrder) {
  const std::vector<std::string_view> published = {"logit_bias",
                                                   "repetition_penalty",
                                                   "repetition_window",
                                                   "frequency_penalty",
                                                   "presence_penalty",
                                                   "temperature",
                                                   "top_k",
                                                   "top_p",
                                                   "min_p",
                                                   "max_tokens",
                                                   "stop",
                                                   "seed",
                                                   "ignore_eos"};
  std::vector<std::string_view> names;
  for (const Knob* knob : request_knobs()) {
    if (std::count(published.begin(), published.end(), knob->name) > 0) names.push_back(knob->name);
  }
  EXPECT_EQ(names, published);
}

TEST(RequestKnobs, DefaultsAreNeutral) {
  const Knobs knobs(request_knobs());
  EXPECT_EQ(knobs.number("temperature"), 1);
  EXPECT_EQ(knobs.number("top_p"), 1);
  EXPECT_EQ(knobs.integer("top_k"), 0);
  EXPECT_EQ(knobs.number("min_p"), 0);
  EXPECT_EQ(knobs.number("repetition_penalty"), 1);
  EXPECT_EQ(knobs.integer("repetition_window"), -1);
  EXPECT_FALSE(knobs.seed("seed").value.has_value());
  EXPECT_FALSE(knobs.is_set("max_tokens"));
}

TEST(RequestKnobs, APromptThatDoesNotFitIsRefusedUnlessAPolicyIsChosen) {
  Knobs knobs(request_knobs());
  EXPECT_EQ(knobs.text("context_policy"), "refuse");
  EXPECT_EQ(knobs.text("context_keep"), "end");
  EXPECT_EQ(knobs.text("split_question"), "last");
  for (const std::string policy : {"refuse", "truncate", "summarize", "split"})
    EXPECT_NO_THROW(knobs.set("context_policy", policy, "request"));
  for (const std::string other : {"", "shift", "Truncate"})
    error_of(ErrorCode::kUsage, [&] { knobs.set("context_policy", other, "request"); });
  error_of(ErrorCode::kUsage, [&] { knobs.set("split_overlap", 0.51, "request"); });
  error_of(ErrorCode::kUsage, [&] { knobs.set("answer_room", int64_t{-2}, "request"); });
}

// BR-019
// One letter per value: s set, . unchanged, x refused.
TEST(RequestKnobs, BordersOfThePublishedFields) {
  const std::string values[] = {
      "null",  "-1",  "0",       "1",   "2147483647", "2147483648", "9223372036854775808",
      "1e400", "NaN", "\"0.7\"", "[1]", "true"};
  const std::map<std::string, std::string> table = {{"logit_bias", ".xxxxxxxxxxx"},
                                                    {"repetition_penalty", ".xxssssxxxxx"},
                                                    {"repetition_window", ".ssssxxxxxxx"},
                                                    {"frequency_penalty", ".sssxxxxxxxx"},
                                                    {"presence_penalty", ".sssxxxxxxxx"},
                                                    {"temperature", ".xsssssxxxxx"},
                                                    {"top_k", ".xsssxxxxxxx"},
                                                    {"top_p", ".xxsxxxxxxxx"},
                                                    {"min_p", ".xssxxxxxxxx"},
                                                    {"max_tokens", ".xsssxxxxxxx"},
                                                    {"stop", ".xxxxxxxxsxx"},
                                                    {"seed", ".ssssssxxxxx"},
                                                    {"ignore_eos", ".xxxxxxxxxxs"}};
  for (const auto& [name, outcomes] : table) {
    ASSERT_EQ(outcomes.size(), std::size(values)) << name;
    for (std::size_t i = 0; i < std::size(values); ++i) {
      Knobs knobs(request_knobs());
      char outcome = 's';
      try {
        knobs.set_from_json("{\"" + name + "\":" + values[i] + "}", "request");
        if (!knobs.is_set(name)) outcome = '.';
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kUsage);
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        outcome = 'x';
      }
      EXPECT_EQ(outcome, outcomes[i]) << name << " = " << values[i];
    }
  }
}

// BR-028: what is beyond a bound is refused before anything is done with it.
TEST(RequestKnobs, StopsAreSixteenOf256Bytes) {
  Knobs knobs(request_knobs());
  std::vector<std::string> texts(16, std::string(256, 's'));
  EXPECT_NO_THROW(knobs.set("stop", texts, "request"));
  texts[3] += 's';
  error_of(ErrorCode::kUsage, [&] { knobs.set("stop", texts, "request"); });
  error_of(ErrorCode::kUsage, [&] { knobs.set("stop", std::vector<std::string>(17, "s"), "request"); });
  error_of(ErrorCode::kUsage, [&] { knobs.set_from_json(R"({"stop": [""]})", "request"); });
}

TEST(RequestKnobs, ABiasHas1024Entries) {
  Knobs knobs(request_knobs());
  TokenBias biases;
  for (int32_t id = 0; id < 1024; ++id) biases[id] = 1;
  EXPECT_NO_THROW(knobs.set("logit_bias", biases, "request"));
  biases[1024] = 1;
  error_of(ErrorCode::kUsage, [&] { knobs.set("logit_bias", biases, "request"); });
}

}  // namespace
}  // namespace kelda::sampling
