#include "context/policy.h"

#include "context/bytes.h"
#include "sampling/request_knobs.h"

namespace kelda::context {
namespace {

Knobs knobs(const std::string& json) {
  Knobs k(sampling::request_knobs());
  k.set_from_json(json, "request");
  return k;
}
Settings settings(const std::string& json, int64_t window = 1000) {
  return settings_of(knobs(json), window, false);
}

TEST(ContextPolicy, EachChoiceOfTheKnobIsOne) {
  const Knob& row = knobs("{}").find("context_policy");
  std::vector<std::string> names;
  for (const std::string_view choice : row.choices()) {
    names.emplace_back(name(settings(R"({"context_policy": ")" + std::string(choice) + "\"}").policy));
    EXPECT_EQ(names.back(), choice);
  }
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(settings("{}").policy, Policy::kRefuse);
}

TEST(ContextPolicy, TheRoomIsMaxTokensUpToAQuarterOfTheWindow) {
  const auto room = [](const std::string& json) {
    return settings(R"({"context_policy": "truncate", )" + json + "}").room;
  };
  EXPECT_EQ(room(R"("max_tokens": 100)"), 100);
  EXPECT_EQ(room(R"("max_tokens": 250)"), 250);
  EXPECT_EQ(room(R"("max_tokens": 251)"), 250);
  EXPECT_EQ(room(R"("top_k": 0)"), 250) << "max_tokens is as large as the window allows";
  EXPECT_EQ(room(R"("max_tokens": 0)"), 0);
  EXPECT_EQ(room(R"("min_tokens": 300)"), 300);
  EXPECT_EQ(room(R"("answer_room": 1)"), 1);
  EXPECT_EQ(room(R"("answer_room": 999)"), 999);
  EXPECT_EQ(settings("{}").room, 0) << "a prompt that is refused or not needs none";
}

TEST(ContextPolicy, AnImpossibleRoomIsRefused) {
  const auto error = [](const std::string& json) {
    return error_of(ErrorCode::kUsage, [&] { settings(R"({"context_policy": "truncate", )" + json + "}"); });
  };
  EXPECT_EQ(error(R"("answer_room": 1000)"),
            "answer_room is 1000 and the window is 1000: nothing is left for the prompt");
  EXPECT_EQ(error(R"("answer_room": 5, "min_tokens": 6)"),
            "min_tokens is 6 and answer_room is 5, which is less");
  EXPECT_EQ(error(R"("answer_room": 0, "max_tokens": 4)"),
            "answer_room is 0 and max_tokens is 4: there is no room for an answer");
  EXPECT_EQ(error_of(ErrorCode::kContextLength,
                     [] { settings(R"({"context_policy": "truncate", "min_tokens": 1000})"); }),
            "min_tokens is 1000 and the window is 1000: nothing is left for the prompt");
}

TEST(ContextPolicy, SettingsAreRead) {
  const Settings s = settings(
      R"({"context_policy": "split", "context_keep": "start", "split_question": "first", "split_overlap": 0.25})");
  EXPECT_EQ(s.keep, Keep::kStart);
  EXPECT_TRUE(s.question_first);
  EXPECT_EQ(s.overlap, 0.25);
  EXPECT_EQ(settings("{}").keep, Keep::kEnd);
}

TEST(ContextPolicy, WhatExcludesEachOtherIsNamed) {
  const auto error = [](const std::string& json, bool streams = false) {
    return error_of(ErrorCode::kUsage, [&] { check_policy(knobs(json), streams); });
  };
  for (const std::string other : {"logprobs", "prompt_logprobs"}) {
    const std::string message = error(R"({"context_policy": "split", ")" + other + "\": 0}");
    EXPECT_TRUE(mentions(message, "context_policy split and " + other + " exclude each other")) << message;
  }
  EXPECT_TRUE(mentions(error(R"({"context_policy": "split"})", true), "split and streaming"));
  for (const std::string policy : {"split", "summarize"}) {
    EXPECT_TRUE(mentions(error(R"({"context_policy": ")" + policy + R"(", "time_limit": 1})"), "time_limit"));
  }
  EXPECT_NO_THROW(
      check_policy(knobs(R"({"context_policy": "truncate", "time_limit": 1, "logprobs": 3})"), true));
  EXPECT_NO_THROW(check_policy(knobs(R"({"context_policy": "summarize", "logprobs": 3})"), true));
  EXPECT_NO_THROW(check_policy(knobs(R"({"context_policy": "split"})"), false));
}

}  // namespace
}  // namespace kelda::context
