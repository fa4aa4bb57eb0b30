#include "engine/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/traces.h"

namespace kelda {
namespace {

TEST(HexFloat, IsExact) {
  EXPECT_EQ(hex_float(12), "0x1.8p+3");
  EXPECT_EQ(hex_float(-0.1f), "-0x1.99999ap-4");
  EXPECT_EQ(hex_float(0), "0x0p+0");
  for (const float x :
       {std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(), 1.0f / 3})
    EXPECT_EQ(std::strtof(hex_float(x).c_str(), nullptr), x);
}

TEST(TraceStep, HasTheLargestLogitsAndTheDraw) {
  DrawReport report{std::string(64, 'a'), {}};
  report.record.draw = {7, 0.25, 3};
  for (TokenId id = 0; id < 20; ++id)
    report.record.candidates.push_back({id, 9.5f - static_cast<float>(id), 0, 0});
  Trace::Step step = trace_step(report);
  EXPECT_EQ(step.token, 7);
  EXPECT_EQ(step.uniform, 0.25);
  EXPECT_EQ(step.logits_sha256, report.logits_sha256);
  ASSERT_EQ(step.top.size(), kTraceTop);
  EXPECT_EQ(step.top[7].id, 7);
  EXPECT_EQ(step.top[7].logit, 2.5f);
  report.record.greedy = true;
  EXPECT_EQ(trace_step(report).uniform, std::nullopt);
}

TEST(TraceFinish, HasTheTextOfAStopAndNoPieceOfAToken) {
  Event last;
  last.finish = FinishReason::kStop;
  last.rule = StopRule::kStopText;
  last.stop = "END";
  EXPECT_EQ(trace_finish(last).stop, "END");
  last.rule = StopRule::kEndToken;
  EXPECT_EQ(trace_finish(last).stop, "");
}

TEST(TraceText, IsJsonWithALineForEachStep) {
  const Trace trace = testing::some_trace();
  const std::string text = trace_text(trace);
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["format"], "kelda-trace");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["model"]["file_bytes"], 18446744073709551615u);
  EXPECT_EQ(json["seed"], 18446744073709551615u);
  EXPECT_EQ(json["run"]["compute"], "auto");
  EXPECT_EQ(json["run"]["rope"]["scaling"], "yarn");
  EXPECT_EQ(json["settings"]["top_p"].dump(), R"({"from":"request","value":0.1})");
  EXPECT_EQ(json["steps"][0]["uniform"], 0.3);
  EXPECT_EQ(json["steps"][0]["top"][0].dump(), R"([5,"0x1.8p+3"])");
  EXPECT_TRUE(json["steps"][1]["uniform"].is_null());
  EXPECT_EQ(json["finish"]["rule"], "stop_text");
  EXPECT_TRUE(json["finish"]["error"].is_null());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 9 + 1 + 2 + 2) << text;
}

TEST(TraceText, ANameOfAnyBytesIsStillJson) {
  Trace trace = testing::some_trace();
  trace.model.name = "a\xFF\n\"b";
  EXPECT_EQ(nlohmann::json::parse(trace_text(trace))["model"]["name"], "a\xEF\xBF\xBD\n\"b");
}

}  // namespace
}  // namespace kelda
