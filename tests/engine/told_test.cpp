// What the engine tells beside the text, in company and alone: logprobs, passes, how an answer ended.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/tiny_llama.h"

namespace kelda {
namespace {

double clock_now = 0;
double fake_clock() { return clock_now; }

struct Told {
  std::vector<TokenId> ids;
  std::vector<TokenReport> logprobs, prompt_logprobs;
  std::vector<DrawReport> draws;
  std::string text;
  Event last;
};

class ToldTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = testing::tiny_llama(); }
  static void TearDownTestSuite() { model_.reset(); }

  ToldTest() : pool_(2), runner_(model_, {KvType::kF16, 0, 4096}, pool_) {}

  static std::vector<TokenId> encode(std::string_view text) { return testing::encode(*model_, text); }
  static void collect(std::map<RequestId, Told>& told, const Event& e) {
    Told& t = told[e.request];
    if (e.token) t.ids.push_back(*e.token);
    if (e.logprobs) t.logprobs.push_back(*e.logprobs);
    if (e.draw) t.draws.push_back(*e.draw);
    if (!e.prompt_logprobs.empty()) {
      EXPECT_TRUE(t.prompt_logprobs.empty()) << "told twice";
      t.prompt_logprobs = e.prompt_logprobs;
    }
    t.text += e.text;
    t.last = e;
  }
  static std::map<RequestId, Told> run(Engine& engine) {
    std::map<RequestId, Told> told;
    while (engine.step([&](const Event& e) { collect(told, e); })) {
    }
    return told;
  }
  Told run_one(Request r, int64_t prefill_chunk = 512) {
    Engine engine(runner_, {.prefill_chunk = prefill_chunk});
    engine.add(std::move(r));
    return run(engine).begin()->second;
  }
  static void expect_same(const std::vector<TokenReport>& a, const std::vector<TokenReport>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].id, b[i].id);
      EXPECT_EQ(std::memcmp(&a[i].logprob, &b[i].logprob, sizeof(double)), 0);
      expect_same_list(a[i].top, b[i].top);
      ASSERT_EQ(a[i].processed.has_value(), b[i].processed.has_value());
      if (!a[i].processed) continue;
      EXPECT_EQ(std::memcmp(&a[i].processed->logprob, &b[i].processed->logprob, sizeof(double)), 0);
      expect_same_list(a[i].processed->top, b[i].processed->top);
    }
  }
  static void expect_same_list(const std::vector<sampling::TokenLogprob>& a,
                               const std::vector<sampling::TokenLogprob>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].id, b[i].id);
      EXPECT_EQ(std::memcmp(&a[i].logprob, &b[i].logprob, sizeof(double)), 0);
    }
  }
  std::string refusal(Request r, ErrorCode code) {
    Engine engine(runner_, {});
    try {
      engine.add(std::move(r));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  static std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  Runner runner_;
};
std::shared_ptr<const Model> ToldTest::model_;

constexpr const char* kAll =
    R"({"max_tokens": 6, "ignore_eos": true, "seed": 3, "temperature": 1.2, "top_k": 30, "logprobs": 4,
        "processed_logprobs": true, "prompt_logprobs": 3})";

TEST_F(ToldTest, LogprobsHaveTheSameBitsInABatchAndInAnyChunk) {
  const std::vector<std::string> prompts = {
      "the first text", "another one, of some length, since it has words", "x", "the the the the the"};
  std::vector<Told> alone;
  for (const auto& prompt : prompts) alone.push_back(run_one(testing::request(encode(prompt), kAll)));
  for (const int64_t chunk : {1, 7}) {
    Engine engine(runner_, {.prefill_chunk = chunk});
    for (const auto& prompt : prompts) engine.add(testing::request(encode(prompt), kAll));
    const auto told = run(engine);
    ASSERT_EQ(told.size(), prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const Told& t = told.at(static_cast<RequestId>(i) + 1);
      EXPECT_EQ(t.ids, alone[i].ids);
      expect_same(t.logprobs, alone[i].logprobs);
      expect_same(t.prompt_logprobs, alone[i].prompt_logprobs);
    }
  }
}

TEST_F(ToldTest, PromptLogprobsAreThoseOfTheModelsLogits) {  // BR-026
  // More tokens than rows of logits in a step.
  std::vector<TokenId> prompt;
  for (TokenId i = 0; i < 150; ++i) prompt.push_back(3 + (i * 37) % 250);
  const Told told = run_one(testing::request(prompt, R"({"max_tokens": 0, "prompt_logprobs": 2})"));
  EXPECT_TRUE(told.ids.empty());
  EXPECT_EQ(told.text, "");
  ASSERT_EQ(told.prompt_logprobs.size(), prompt.size() - 1);
  runner_.all_logits(prompt, 33, [&](int64_t pos, std::span<const float> row) {
    const auto at = static_cast<std::size_t>(pos);
    if (at + 1 == prompt.size()) return;
    const TokenReport& report = told.prompt_logprobs[at];
    EXPECT_EQ(report.id, prompt[at + 1]);
    EXPECT_EQ(report.logprob, sampling::logprob(row, prompt[at + 1]));
    ASSERT_EQ(report.top.size(), 2u);
    EXPECT_EQ(report.top[0].id, sampling::top_logprobs(row, 1)[0].id);
  });
  EXPECT_GE(told.last.usage.prefill_passes, 3);
}

TEST_F(ToldTest, AWarmPrefixDoesNotCostPromptLogprobs) {  // BR-089
  Engine engine(runner_, {.prefill_chunk = 512, .kept_sequences = 2});
  const auto prompt = encode("a text that was read before and is kept for the next one");
  engine.add(testing::request(prompt, R"({"max_tokens": 2, "ignore_eos": true, "seed": 1})"));
  run(engine);
  engine.add(testing::request(prompt, kAll));
  const Told warm = run(engine).begin()->second;
  const Told cold = run_one(testing::request(prompt, kAll));
  EXPECT_EQ(warm.last.context.prompt_cached, 0) << "there are no logits of what is kept: it is read again";
  expect_same(warm.prompt_logprobs, cold.prompt_logprobs);
  expect_same(warm.logprobs, cold.logprobs);
  EXPECT_EQ(warm.ids, cold.ids);
  engine.add(testing::request(prompt, R"({"max_tokens": 2, "ignore_eos": true, "seed": 1})"));
  EXPECT_EQ(run(engine).begin()->second.last.context.prompt_cached, static_cast<int64_t>(prompt.size()) - 1);
}

TEST_F(ToldTest, AskingForLogprobsChangesNoToken) {
  const char* plain = R"({"max_tokens": 6, "ignore_eos": true, "seed": 3, "temperature": 1.2, "top_k": 30})";
  const Told without = run_one(testing::request(encode("the text"), plain));
  const Told with = run_one(testing::request(encode("the text"), kAll));
  EXPECT_EQ(without.ids, with.ids);
  EXPECT_TRUE(without.logprobs.empty());
  EXPECT_TRUE(without.prompt_logprobs.empty());
}

TEST_F(ToldTest, MoreAlternativesThanTokensAreRefused) {  // BR-028
  for (const char* name : {"logprobs", "prompt_logprobs"}) {
    const std::string all =
        fmt::format(R"({{"max_tokens": 1, "{}": {}}})", name, model_->config().vocab_size);
    EXPECT_EQ(run_one(testing::request(encode("ab"), all)).last.finish, FinishReason::kLength);
    const std::string message =
        refusal(testing::request(encode("ab"), fmt::format(R"({{"{}": 1000000}})", name)), ErrorCode::kUsage);
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find("1000000"), std::string::npos) << message;
  }
}

TEST_F(ToldTest, ProcessedLogprobsNeedLogprobs) {
  Engine engine(runner_, {});
  const auto admitted = engine.add(testing::request(encode("ab"), R"({"processed_logprobs": true})"));
  ASSERT_EQ(admitted.notices.size(), 1u);
  EXPECT_NE(admitted.notices[0].find("processed_logprobs has no effect"), std::string::npos);
}

TEST_F(ToldTest, PassesAreCountedApart) {
  const Told one = run_one(testing::request(encode("hello"), R"({"max_tokens": 50, "ignore_eos": true})"));
  EXPECT_EQ(one.last.usage.passes, 50);
  EXPECT_EQ(one.last.usage.prefill_passes, 1);
  const Told chunks =
      run_one(testing::request(encode("hello"), R"({"max_tokens": 50, "ignore_eos": true})"), 2);
  EXPECT_EQ(chunks.last.usage.passes, 52);
  EXPECT_EQ(chunks.last.usage.prefill_passes, 3);
}

TEST_F(ToldTest, TheWindowsEndIsNotMaxTokens) {
  const Told told = run_one(testing::request(std::vector<TokenId>(250, 9), R"({"ignore_eos": true})"));
  EXPECT_EQ(told.ids.size(), 6u);
  EXPECT_EQ(told.last.finish, FinishReason::kLength);
  EXPECT_EQ(told.last.rule, StopRule::kWindow);
}

TEST_F(ToldTest, StopTokensOfTheRequestEndIt) {
  const Told told = run_one(testing::request(
      encode("ab"), R"({"stop_token_ids": [44, 45], "logit_bias": {"45": 100}, "max_tokens": 5})"));
  EXPECT_EQ(told.ids, std::vector<TokenId>{45});
  EXPECT_EQ(told.text, "");
  EXPECT_EQ(told.last.finish, FinishReason::kStop);
  EXPECT_EQ(told.last.rule, StopRule::kStopToken);
  EXPECT_NE(refusal(testing::request(encode("ab"), R"({"stop_token_ids": [44, 999]})"), ErrorCode::kUsage)
                .find("999"),
            std::string::npos);
}

TEST_F(ToldTest, MinTokensAreHeldAgainstTheRoom) {
  const Told told = run_one(testing::request(
      encode("ab"), R"({"min_tokens": 5, "max_tokens": 9, "logit_bias": {"2": 100, "77": 50}})"));
  EXPECT_EQ(told.ids, (std::vector<TokenId>{77, 77, 77, 77, 77, 2}));
  EXPECT_EQ(told.last.rule, StopRule::kEndToken);
  const std::string more =
      refusal(testing::request(encode("ab"), R"({"min_tokens": 5, "max_tokens": 4})"), ErrorCode::kUsage);
  EXPECT_EQ(more, "min_tokens is 5 and max_tokens is 4, which is less");
  EXPECT_NE(refusal(testing::request(encode("ab"), R"({"min_tokens": 255})"), ErrorCode::kContextLength)
                .find("no room"),
            std::string::npos);
  const Told none = run_one(testing::request(
      encode("ab"),
      R"({"min_tokens": 5, "stop_token_ids": [77], "logit_bias": {"77": 100}, "top_k": 1, "max_tokens": 5})"));
  EXPECT_EQ(none.ids.size(), 5u);
}

TEST_F(ToldTest, TheTimeLimitEndsAnAnswerAndOnlyThatOne) {
  Engine engine(runner_, {.prefill_chunk = 512, .kept_sequences = 0, .seconds = fake_clock});
  clock_now = 100;
  const char* knobs = R"({{"max_tokens": 20, "ignore_eos": true, "seed": 1, "time_limit": {}}})";
  const auto limited = engine.add(testing::request(encode("ab"), fmt::format(fmt::runtime(knobs), 2.5))).id;
  const auto free = engine.add(testing::request(encode("ab"), fmt::format(fmt::runtime(knobs), 0))).id;
  std::map<RequestId, Told> told;
  while (engine.step([&](const Event& e) { collect(told, e); })) clock_now += 1;
  EXPECT_EQ(told[limited].last.finish, FinishReason::kTime);
  EXPECT_EQ(told[limited].last.rule, StopRule::kTimeLimit);
  EXPECT_EQ(told[limited].ids.size(), 3u) << "at 100, 101 and 102; at 103 it is over";
  EXPECT_EQ(told[limited].last.usage.completion_tokens, 3);
  EXPECT_EQ(told[free].last.finish, FinishReason::kLength);
  EXPECT_EQ(told[free].ids.size(), 20u);
  EXPECT_TRUE(std::equal(told[limited].ids.begin(), told[limited].ids.end(), told[free].ids.begin()));
}

TEST_F(ToldTest, WhereTheTimeWentIsTold) {
  Engine engine(runner_, {.prefill_chunk = 2, .kept_sequences = 0, .seconds = fake_clock});
  clock_now = 100;
  const auto first =
      engine.add(testing::request(encode("abcd"), R"({"max_tokens": 3, "ignore_eos": true})")).id;
  const auto second =
      engine.add(testing::request(encode("xy"), R"({"max_tokens": 1, "ignore_eos": true})")).id;
  const auto nothing = engine.add(testing::request(encode("x"), R"({"max_tokens": 0})")).id;
  std::map<RequestId, Told> told;
  clock_now = 101;
  // Two tokens of prompts a step: the first request takes two steps, then the second, then the third.
  while (engine.step([&](const Event& e) { collect(told, e); })) clock_now += 1;
  const auto expect = [](const PhaseTimes& p, double queue, double prefill, double decode) {
    EXPECT_EQ(p.queue, queue);
    EXPECT_EQ(p.prefill, prefill);
    EXPECT_EQ(p.decode, decode);
  };
  expect(told[first].last.phases, 1, 1, 2);
  expect(told[second].last.phases, 3, 0, 0);
  expect(told[nothing].last.phases, 4, 0, 0);
}

TEST_F(ToldTest, ReportsOfDrawsHaveTheSameBitsInABatchAndInAnyChunk) {
  const std::vector<std::string> prompts = {"the first text", "another one, of some length", "x"};
  const auto explained = [&](const std::string& prompt) {
    Request r = testing::request(encode(prompt), kAll);
    r.explain = 6;
    return r;
  };
  std::vector<Told> alone;
  for (const auto& prompt : prompts) alone.push_back(run_one(explained(prompt)));
  Engine engine(runner_, {.prefill_chunk = 3});
  for (const auto& prompt : prompts) engine.add(explained(prompt));
  const auto told = run(engine);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const Told& t = told.at(static_cast<RequestId>(i) + 1);
    ASSERT_EQ(t.draws.size(), 6u);
    for (std::size_t s = 0; s < t.draws.size(); ++s) {
      const DrawReport &a = t.draws[s], &b = alone[i].draws[s];
      EXPECT_EQ(a.logits_sha256, b.logits_sha256);
      EXPECT_EQ(a.record.draw.id, t.ids[s]);
      EXPECT_EQ(a.record.draw.uniform, b.record.draw.uniform);
      EXPECT_EQ(a.record.raw_entropy, b.record.raw_entropy);
      ASSERT_EQ(a.record.candidates.size(), b.record.candidates.size());
      for (std::size_t c = 0; c < a.record.candidates.size(); ++c) {
        EXPECT_EQ(a.record.candidates[c].id, b.record.candidates[c].id);
        EXPECT_EQ(a.record.candidates[c].logit, b.record.candidates[c].logit);
        EXPECT_EQ(a.record.candidates[c].p, b.record.candidates[c].p);
      }
    }
    EXPECT_NE(t.draws[0].logits_sha256, t.draws[1].logits_sha256);
  }
}

TEST_F(ToldTest, ExplainingChangesNoTokenAndNothingIsToldUnasked) {
  Request r = testing::request(encode("the text"), kAll);
  const Told plain = run_one(r);
  EXPECT_TRUE(plain.draws.empty());
  r.explain = 0;
  const Told explained = run_one(r);
  EXPECT_EQ(explained.ids, plain.ids);
  expect_same(explained.logprobs, plain.logprobs);
  ASSERT_EQ(explained.draws.size(), plain.ids.size());
  EXPECT_EQ(explained.draws[0].record.candidates.size(), 1u) << "the drawn token is always told";
  ASSERT_EQ(explained.draws[0].record.stages.size(), 2u) << "temperature and top_k";
  r.explain = 1'000'000;
  EXPECT_NE(refusal(r, ErrorCode::kUsage).find("explain asks for 1000000"), std::string::npos);
}

TEST_F(ToldTest, EndTokensThatMinTokensKeepAwayAreAStage) {
  Request r =
      testing::request(encode("ab"), R"({"min_tokens": 2, "max_tokens": 4, "logit_bias": {"77": 100}})");
  r.explain = 1;
  const Told told = run_one(std::move(r));
  ASSERT_EQ(told.draws.size(), 4u);
  EXPECT_EQ(told.draws[1].record.stages[0].name, "min_tokens");
  EXPECT_EQ(told.draws[2].record.stages[0].name, "logit_bias");
}

TEST_F(ToldTest, WhatWasKnownOfAPromptIsTold) {
  using Outcome = PrefixLookup::Outcome;
  Engine engine(runner_, {.prefill_chunk = 512, .kept_sequences = 2});
  const auto ask = [&](const char* text, const char* knobs) {
    const PrefixLookup lookup = engine.add(testing::request(encode(text), knobs)).prefix;
    run(engine);
    return lookup;
  };
  EXPECT_EQ(ask("a text", R"({"max_tokens": 1})").outcome, Outcome::kEmpty);
  const PrefixLookup hit = ask("a text and more", R"({"max_tokens": 1})");
  EXPECT_EQ(hit.outcome, Outcome::kHit);
  EXPECT_EQ(hit.n_alike, 6);
  EXPECT_EQ(ask("a text", R"({"max_tokens": 1, "prompt_logprobs": 0})").outcome, Outcome::kNotWanted);
  Engine without(runner_, {});
  EXPECT_EQ(without.add(testing::request(encode("a"), R"({"max_tokens": 1})")).prefix.outcome, Outcome::kOff);
}

TEST_F(ToldTest, ALoopIsInTheLastEventsNotices) {
  const Told told =
      run_one(testing::request(encode("ab"), R"({"max_tokens": 200, "logit_bias": {"77": 100}})"));
  ASSERT_EQ(told.last.notices.size(), 1u);
  EXPECT_NE(told.last.notices[0].find("loop"), std::string::npos);
  EXPECT_EQ(told.ids, std::vector<TokenId>(200, 77)) << "told, not touched";
  EXPECT_TRUE(run_one(testing::request(encode("ab"), R"({"max_tokens": 100, "logit_bias": {"77": 100}})"))
                  .last.notices.empty());
}

}  // namespace
}  // namespace kelda
