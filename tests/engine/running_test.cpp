// One request with logits made by hand: what becomes of each token is then certain.
#include "engine/running.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "engine/runner.h"
#include "engine/tiny_llama.h"

namespace kelda {
namespace {

constexpr int64_t kWindow = 256;

class RunningTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = testing::tiny_llama(kWindow); }
  static void TearDownTestSuite() { model_.reset(); }

  RunningTest() : pool_(1), runner_(model_, {}, pool_) {}

  std::unique_ptr<Running> running(const std::string& knobs, Running::Limits limits = {1, 200}) {
    auto r = std::make_unique<Running>(7, testing::request({5, 6, 7}, knobs), limits,
                                       Sequence(runner_.cache()), *model_);
    r->sequence.reserve(3);
    r->count_pass(3);
    return r;
  }
  static std::vector<float> forced(TokenId id) {
    std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size), 0.0f);
    logits[static_cast<std::size_t>(id)] = 50;
    return logits;
  }
  struct Told {
    std::string text;
    std::vector<TokenId> ids;
    Event last;
  };
  // Forces the bytes of `text`, one token each, as far as the request goes on, and ends it.
  Told say(Running& r, std::string_view text, FinishReason otherwise = FinishReason::kLength) {
    Told told;
    std::optional<FinishReason> reason;
    Event event;
    for (const char c : text) {
      event = {};
      reason = r.draw(forced(byte_id(c)), event);
      told.ids.push_back(*event.token);
      if (reason) break;
      told.text += event.text;
    }
    if (!reason) {
      event = {};
      reason = otherwise;
    }
    r.release_text(event, *reason);
    r.close(event, *reason, kWindow);
    told.text += event.text;
    told.last = event;
    return told;
  }
  static TokenId byte_id(char c) {
    return model_->vocabulary().find(text::byte_characters()[static_cast<unsigned char>(c)]);
  }

  static std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  Runner runner_;
};
std::shared_ptr<const Model> RunningTest::model_;

TEST_F(RunningTest, NothingOfAStopTextIsShown) {  // BR-007
  const struct {
    const char *stop, *text, *shown;
  } cases[] = {{"DEFGHIJ", "ABCDEFGHIJKLM", "ABC"},
               {"DEFGHIX", "ABCDEFGHIJKLM", "ABCDEFGHIJKLM"},
               {"own fox", "The quick brown fox", "The quick br"},
               {"A", "ABC", ""},
               {"\xF0\x9F\xA6\x99", "go \xF0\x9F\xA6\x99 on", "go "}};
  for (const auto& c : cases) {
    auto r = running(fmt::format(R"({{"stop": ["{}"]}})", c.stop));
    const Told told = say(*r, c.text);
    EXPECT_EQ(told.text, c.shown) << c.stop;
    const bool found = std::string(c.text) != c.shown;
    EXPECT_EQ(told.last.finish, found ? FinishReason::kStop : FinishReason::kLength);
    EXPECT_EQ(told.last.rule == StopRule::kStopText, found);
    EXPECT_EQ(told.last.stop, found ? c.stop : "");
    EXPECT_EQ(told.last.usage.completion_tokens, static_cast<int64_t>(told.ids.size()));
  }
}

TEST_F(RunningTest, OfStopTextsOneTheBeginningOfTheOtherTheShorterWins) {  // BR-007
  for (const char* stops : {R"(["DEF", "DEFGH"])", R"(["DEFGH", "DEF"])"}) {
    auto r = running(fmt::format(R"({{"stop": {}}})", stops));
    const Told told = say(*r, "ABCDEFGHI");
    EXPECT_EQ(told.text, "ABC");
    EXPECT_EQ(told.last.stop, "DEF");
  }
}

TEST_F(RunningTest, AStopTextThatWaitedForALongerOneCountsAtTheEnd) {
  auto r = running(R"({"stop": ["CD", "BCDEF"]})");
  const Told told = say(*r, "ABCDE");
  EXPECT_EQ(told.text, "AB");
  EXPECT_EQ(told.last.finish, FinishReason::kStop);
  EXPECT_EQ(told.last.stop, "CD");
}

TEST_F(RunningTest, AnEndTokenEndsAndWordsLikeItDoNotUnlessTheyAreAStop) {  // BR-010
  auto by_id = running(R"({"stop": ["<|im_end|>"]})");
  Event event;
  EXPECT_EQ(by_id->draw(forced(2), event), FinishReason::kStop);
  EXPECT_EQ(event.rule, StopRule::kEndToken);
  EXPECT_EQ(event.text, "");
  auto by_text = running(R"({"stop": ["<|im_end|>"]})");
  const Told told = say(*by_text, "a<|im_end|>b");
  EXPECT_EQ(told.text, "a");
  EXPECT_EQ(told.last.rule, StopRule::kStopText);
  EXPECT_EQ(say(*running("{}"), "a<|im_end|>b").text, "a<|im_end|>b");
}

TEST_F(RunningTest, AStopTokenEndsAndIsNotShown) {
  auto r = running(fmt::format(R"({{"stop_token_ids": [{}]}})", byte_id('C')));
  const Told told = say(*r, "ABCD");
  EXPECT_EQ(told.text, "AB");
  EXPECT_EQ(told.ids.size(), 3u);
  EXPECT_EQ(told.last.finish, FinishReason::kStop);
  EXPECT_EQ(told.last.rule, StopRule::kStopToken);
  EXPECT_EQ(told.last.stop, "C");
}

TEST_F(RunningTest, MinTokensKeepEveryEndAway) {
  auto r = running(R"({"min_tokens": 4, "stop": ["AB"], "temperature": 0})");
  Event event;
  for (int i = 0; i < 4; ++i) {
    event = {};
    EXPECT_EQ(r->draw(forced(2), event), std::nullopt) << "the end token is kept out of the draw";
    EXPECT_NE(*event.token, 2);
  }
  event = {};
  EXPECT_EQ(r->draw(forced(2), event), FinishReason::kStop);
  EXPECT_EQ(event.rule, StopRule::kEndToken);

  auto texts = running(R"({"min_tokens": 4, "stop": ["AB"]})");
  const Told told = say(*texts, "ABABxABy");
  EXPECT_EQ(told.text, "ABABx");
  EXPECT_EQ(told.last.rule, StopRule::kStopText);
}

TEST_F(RunningTest, MinTokensDoNotChangeWhatIsTold) {
  auto r = running(R"({"min_tokens": 1, "logprobs": 2})");
  Event event;
  r->draw(forced(2), event);
  ASSERT_TRUE(event.logprobs);
  EXPECT_EQ(event.logprobs->top[0].id, 2) << "logprobs are of the raw distribution";
}

TEST_F(RunningTest, TheRuleThatEndsAnAnswerIsTold) {
  Event event;
  EXPECT_EQ(running("{}", {1, 1})->draw(forced(100), event), FinishReason::kLength);
  EXPECT_EQ(event.rule, StopRule::kMaxTokens);
  EXPECT_EQ(running("{}", {1, 1, true})->draw(forced(100), event), FinishReason::kLength);
  EXPECT_EQ(event.rule, StopRule::kWindow);
  EXPECT_FALSE(running("{}")->late(1e9));
  EXPECT_TRUE(running("{}", {1, 9, false, 5.0})->late(5.0));
  EXPECT_FALSE(running("{}", {1, 9, false, 5.0})->late(4.9));
}

TEST_F(RunningTest, LogprobsAreOfTheRawDistributionWhateverTheKnobs) {  // BR-031
  std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size));
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>((i * 7919) % 101) / 17;
  const auto all = std::to_string(logits.size());
  std::map<TokenId, double> raw;
  for (const char* knobs :
       {R"("temperature": 0.1)", R"("temperature": 1)", R"("temperature": 2)", R"("top_p": 0.1)",
        R"("top_k": 1)", R"("repetition_penalty": 1.5)", R"("logit_bias": {"9": 100})"}) {
    Event event;
    running(fmt::format(R"({{{}, "logprobs": {}, "seed": 1}})", knobs, all))->draw(logits, event);
    ASSERT_TRUE(event.logprobs) << knobs;
    const TokenReport& report = *event.logprobs;
    ASSERT_EQ(report.top.size(), logits.size());
    double sum = 0;
    bool listed = false;
    for (std::size_t i = 0; i < report.top.size(); ++i) {
      sum += std::exp(report.top[i].logprob);
      if (i > 0) {
        EXPECT_LE(report.top[i].logprob, report.top[i - 1].logprob);
      }
      listed = listed || (report.top[i].id == report.id && report.top[i].logprob == report.logprob);
      const auto known = raw.emplace(report.top[i].id, report.top[i].logprob).first;
      EXPECT_EQ(known->second, report.top[i].logprob) << knobs;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_TRUE(listed) << knobs;
  }
}

TEST_F(RunningTest, WhatIsNotAskedForIsNotTold) {
  Event event;
  running("{}")->draw(forced(100), event);
  EXPECT_FALSE(event.logprobs);
  running(R"({"logprobs": 0})")->draw(forced(100), event);
  ASSERT_TRUE(event.logprobs);
  EXPECT_TRUE(event.logprobs->top.empty());
  EXPECT_FALSE(event.logprobs->processed);
  running(R"({"logprobs": 5, "processed_logprobs": true, "top_k": 2})")->draw(forced(100), event);
  ASSERT_TRUE(event.logprobs->processed);
  EXPECT_EQ(event.logprobs->top.size(), 5u);
  EXPECT_EQ(event.logprobs->processed->top.size(), 2u);
}

TEST_F(RunningTest, ALoopIsToldAndNotTouched) {
  const std::string lap = "and on ";
  std::string text;
  while (text.size() < 140) text += lap;
  const Told told = say(*running("{}"), text);
  EXPECT_EQ(told.text, text);
  ASSERT_EQ(told.last.notices.size(), 1u);
  EXPECT_NE(told.last.notices[0].find("a block of 7 tokens"), std::string::npos) << told.last.notices[0];
  // One that came to its end by itself is none.
  EXPECT_TRUE(say(*running(R"({"stop": ["!"]})"), text + "!").last.notices.empty());
  EXPECT_TRUE(say(*running("{}"), "a text without a loop").last.notices.empty());
}

TEST_F(RunningTest, RowsOfThePromptAreReportedFromTheSecondTokenOn) {
  auto r = running(R"({"prompt_logprobs": 1})");
  EXPECT_TRUE(r->wants_prompt_rows());
  r->see_prompt_row(0, forced(6));
  r->see_prompt_row(1, forced(9));
  r->see_prompt_row(2, forced(9));  // of the token that is drawn next
  Event event;
  r->draw(forced(100), event);
  ASSERT_EQ(event.prompt_logprobs.size(), 2u);
  EXPECT_EQ(event.prompt_logprobs[0].id, 6);
  EXPECT_NEAR(event.prompt_logprobs[0].logprob, 0, 1e-15);
  EXPECT_EQ(event.prompt_logprobs[1].id, 7);
  EXPECT_NEAR(event.prompt_logprobs[1].logprob, -50, 1e-9);
  EXPECT_EQ(event.prompt_logprobs[1].top[0].id, 9);
  EXPECT_FALSE(r->wants_prompt_rows());
  const std::vector<float> none(static_cast<std::size_t>(model_->config().vocab_size), std::nanf(""));
  EXPECT_THROW(running(R"({"prompt_logprobs": 0})")->see_prompt_row(0, none), Error);
}

TEST_F(RunningTest, OneLogitThatIsNoNumberEndsTheAnswerAndNamesItsPosition) {
  std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size), 1.0f);
  logits[17] = std::numeric_limits<float>::infinity();
  auto r = running("{}");
  Event event;
  try {
    r->draw(logits, event);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("position 2: the model gave token 17 the logit +infinity"), 0u)
        << e.what();
  }
}

}  // namespace
}  // namespace kelda
