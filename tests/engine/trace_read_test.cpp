// Reading traces: what was written comes back, and nothing else is taken.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/rng.h"
#include "engine/trace.h"
#include "engine/traces.h"

namespace kelda {
namespace {

using nlohmann::json;

json some_json() { return json::parse(trace_text(testing::some_trace())); }

TEST(ParseTrace, GivesBackWhatWasWritten) {
  const Trace trace = testing::some_trace();
  const Trace again = parse_trace(trace_text(trace));
  EXPECT_EQ(trace_text(again), trace_text(trace));
  EXPECT_EQ(again.seed, trace.seed);
  EXPECT_EQ(again.prompt, trace.prompt);
  EXPECT_EQ(again.steps[0].uniform, trace.steps[0].uniform);
  EXPECT_EQ(again.steps[0].top[1].logit, trace.steps[0].top[1].logit);
  EXPECT_EQ(again.knobs.number("temperature"), 4.9e-324);
  EXPECT_EQ(again.knobs.source("top_k"), "house profile");
  EXPECT_FALSE(again.knobs.is_set("min_p"));
  EXPECT_EQ(again.finish.stop, "END");
  Trace other = trace;
  other.compute = Compute::kReference;
  other.rope = {};
  other.finish = {FinishReason::kError, StopRule::kNone, "", "out of memory"};
  EXPECT_EQ(trace_text(parse_trace(trace_text(other))), trace_text(other));
}

TEST(ParseTrace, ASettingThatIsNotNamedHasItsDefault) {
  json j = some_json();
  j["settings"] = {{"top_k", {{"value", 3}, {"from", "flag"}}}};
  const Trace trace = parse_trace(j.dump());
  EXPECT_EQ(trace.knobs.integer("top_k"), 3);
  EXPECT_EQ(trace.knobs.number("top_p"), 1);
}

struct Bad {
  std::function<void(json&)> change;
  std::string says;
  ErrorCode code = ErrorCode::kBadInput;
};

void expect_refused(const std::string& text, const std::string& says, ErrorCode code) {
  try {
    (void)parse_trace(text);
    FAIL() << "taken; expected " << says;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what() << "\n  expected " << says;
  }
}

TEST(ParseTrace, EveryFieldIsHeldAgainstWhatItMayBe) {
  const Bad all[] = {
      {[](json& j) { j["format"] = "x"; }, R"(format is "\"x\"", which is not "kelda-trace")"},
      {[](json& j) { j["version"] = 2; }, "version is 2; this build reads traces of version 1",
       ErrorCode::kUnsupported},
      {[](json& j) { j["extra"] = 1; }, "\"extra\"", ErrorCode::kUnsupported},
      {[](json& j) { j["model"]["extra"] = 1; }, "model has a field \"extra\"", ErrorCode::kUnsupported},
      {[](json& j) { j["model"]["fingerprint"] = std::string(64, 'F'); }, "model.fingerprint is"},
      {[](json& j) { j["model"]["file_bytes"] = -1; }, "model.file_bytes is below 0"},
      {[](json& j) { j["run"]["compute"] = "fast"; }, "run.compute is"},
      {[](json& j) { j["run"]["window"] = 0; }, "run.window is 0; 1 to"},
      {[](json& j) { j["run"]["threads"] = "2"; }, "run.threads is a string"},
      {[](json& j) { j["run"]["rope"]["scaling"] = "x"; }, "run.rope.scaling is \"x\""},
      {[](json& j) { j["run"]["rope"]["factor"] = -1; }, "run.rope.factor is -1"},
      {[](json& j) { j["run"].erase("instruction_set"); }, "run has no \"instruction_set\""},
      {[](json& j) { j["prompt"] = json::array(); }, "prompt is empty"},
      {[](json& j) { j["prompt"][1] = -1; }, "prompt[1] is -1; 0 to 2147483647"},
      {[](json& j) { j["prompt"] = 3; }, "prompt is a number, not a list"},
      {[](json& j) { j["seed"] = 1.5; }, "seed is a number, not a whole number"},
      {[](json& j) {
         j["settings"]["top_q"] = {{"value", 1}, {"from", "flag"}};
       },
       "settings.top_q: unknown field \"top_q\""},
      {[](json& j) { j["settings"]["top_p"]["value"] = 2; },
       "settings.top_p: top_p must be a number in (0, 1]"},
      {[](json& j) { j["settings"]["top_p"]["value"] = nullptr; }, "settings.top_p: has no \"value\""},
      {[](json& j) { j["settings"]["top_p"]["from"] = ""; }, "settings.top_p.from is empty"},
      {[](json& j) {
         j["settings"]["top_p"] = {{"value", 0.5}, {"from", "default"}};
       },
       "settings.top_p: is from \"default\", and its value is another"},
      {[](json& j) { j["settings"]["top_p"]["why"] = ""; }, "settings.top_p has a field \"why\"",
       ErrorCode::kUnsupported},
      {[](json& j) { j["settings"]["stop"]["value"] = {1}; }, "settings.stop"},
      {[](json& j) { j["steps"][1]["token"] = 2147483648; }, "steps[1].token is 2147483648"},
      {[](json& j) { j["steps"][0]["uniform"] = 1; }, "steps[0].uniform is 1"},
      {[](json& j) { j["steps"][0]["logits_sha256"] = "ab"; }, "steps[0].logits_sha256 is"},
      {[](json& j) {
         j["steps"][0]["top"] = json(9, {1, "0x1p+0"});
       },
       "steps[0].top has more than 8 entries"},
      {[](json& j) { j["steps"][0]["top"][1] = {1}; }, "steps[0].top[1] is \"[1]\""},
      {[](json& j) { j["steps"][0]["note"] = ""; }, "steps[0] has a field \"note\"", ErrorCode::kUnsupported},
      {[](json& j) { j["steps"] = 1; }, "steps is a number"},
      {[](json& j) { j["finish"]["reason"] = "tired"; }, "one of stop, length, time, cancelled, error"},
      {[](json& j) { j["finish"]["rule"] = "none"; }, "finish.rule is"},
      {[](json& j) { j.erase("finish"); }, "the document has no \"finish\""},
  };
  for (const Bad& bad : all) {
    json j = some_json();
    bad.change(j);
    expect_refused(j.dump(), bad.says, bad.code);
  }
}

TEST(ParseTrace, LogitsAreFloat32InHexadecimal) {
  const auto with = [](const std::string& logit) {
    json j = some_json();
    j["steps"][0]["top"][0][1] = logit;
    return j.dump();
  };
  for (const std::string good : {"0x1.8p+3", "-0x0p+0", "0x1p-149", "0x1.fffffep+127"})
    EXPECT_NO_THROW(parse_trace(with(good))) << good;
  for (const std::string bad : {"", "12", "0x", "0x1.8p+3 ", "--0x1p+0", "0x-1p+0", "0x1p+128",
                                "0x1.0000001p+0", "inf", "0xinf", "nan", "0x1p-150"})
    expect_refused(with(bad), "steps[0].top[0][1] is", ErrorCode::kBadInput);
}

TEST(ParseTrace, WhatIsNoJsonOrIsCutShortIsRefused) {
  const std::string text = trace_text(testing::some_trace());
  for (std::size_t n = 0; n + 2 < text.size(); n += 7)
    EXPECT_THROW(parse_trace(std::string_view(text).substr(0, n)), Error) << n;
  for (const char* bad : {"[]", "null", "{}", "{\"format\":\"kelda-trace\"}"})
    EXPECT_THROW(parse_trace(bad), Error) << bad;
  EXPECT_THROW(parse_trace(std::string(100'000, '[')), Error);
  std::string twice = text;
  twice.insert(2, "\"seed\": 5,\n");
  expect_refused(twice, "twice", ErrorCode::kBadInput);
  std::string twice_set = text;
  const std::string key = "\"settings\": {";
  twice_set.insert(twice_set.find(key) + key.size(), R"("top_p": {"from": "x", "value": 0.5},)");
  expect_refused(twice_set, "settings.top_p is there twice", ErrorCode::kBadInput);
}

TEST(ParseTrace, AnyBytesGiveATraceOrAnErrorThatSaysWhy) {
  const std::string text = trace_text(testing::some_trace());
  constexpr std::string_view kMarks = "0123456789-+.eE\"\\[]{},:";
  int n_taken = 0;
  for (uint32_t i = 0; i < 4000; ++i) {
    std::string changed = text;
    auto below = [i, draw = uint32_t{0}](std::size_t n) mutable {
      return static_cast<std::size_t>(uniform({11, 0, i}, draw++) * static_cast<double>(n));
    };
    const std::size_t at = below(changed.size());
    switch (i % 4) {
      case 0:
        changed[at] = static_cast<char>(below(256));
        break;
      case 1:
        changed.erase(at, 1 + below(40));
        break;
      case 2:
        changed.insert(at, text.substr(below(text.size()), 1 + below(40)));
        break;
      default:
        changed[at] = kMarks[below(kMarks.size())];
    }
    try {
      (void)parse_trace(changed);
      ++n_taken;
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported) << e.what();
      EXPECT_GT(std::string(e.what()).size(), 5u);
    }
  }
  EXPECT_GT(n_taken, 0) << "a digit more is another seed, say";
  EXPECT_LT(n_taken, 2000);
}

}  // namespace
}  // namespace kelda
