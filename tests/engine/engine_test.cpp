#include "engine/engine.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "engine/tiny_llama.h"

namespace kelda {
namespace {

class EngineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = testing::tiny_llama(); }
  static void TearDownTestSuite() { model_.reset(); }

  static Request request(std::vector<TokenId> prompt, const std::string& knobs_json) {
    Request r = testing::request(std::move(prompt), R"({"logprobs": 0})");
    r.knobs.set_from_json(knobs_json, "request");
    return r;
  }
  static std::vector<TokenId> encode(std::string_view text) {
    return model_->tokenizer().encode_prompt(text, text::Special::kText).ids;
  }

  struct Answer {
    std::vector<TokenId> ids;
    std::vector<double> logprobs;
    std::string text;
    Event last;
  };
  static void collect(std::map<RequestId, Answer>& answers, const Event& e) {
    Answer& a = answers[e.request];
    EXPECT_FALSE(a.last.finish.has_value()) << "an event after the last one";
    if (e.token) a.ids.push_back(*e.token);
    if (e.logprobs) a.logprobs.push_back(e.logprobs->logprob);
    a.text += e.text;
    a.last = e;
  }
  static Answer run_one(Request r, int64_t prefill_chunk = 512, int64_t window = 0) {
    ThreadPool pool(2);
    Runner runner(model_, {KvType::kF16, window}, pool);
    Engine engine(runner, {prefill_chunk});
    engine.add(std::move(r));
    std::map<RequestId, Answer> answers;
    while (engine.step([&](const Event& e) { collect(answers, e); })) {
    }
    EXPECT_EQ(runner.cache().bytes_used(), 0u) << "a finished request holds no blocks";
    return answers.begin()->second;
  }
  static std::string error_of(Request r, ErrorCode code, int64_t window = 0) {
    ThreadPool pool(1);
    Runner runner(model_, {KvType::kF16, window}, pool);
    Engine engine(runner, {});
    try {
      engine.add(std::move(r));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code);
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  static std::shared_ptr<const Model> model_;
};
std::shared_ptr<const Model> EngineTest::model_;

TEST_F(EngineTest, DrawsExactlyMaxTokens) {
  for (const int64_t n : {0, 1, 2, 9}) {
    const Answer a = run_one(
        request(encode("hello"), fmt::format(R"({{"max_tokens":{},"ignore_eos":true,"seed":1}})", n)));
    EXPECT_EQ(static_cast<int64_t>(a.ids.size()), n);
    EXPECT_EQ(a.last.usage.completion_tokens, n);
    EXPECT_EQ(a.last.usage.prompt_tokens, 5);
    EXPECT_EQ(a.last.finish, FinishReason::kLength);
    EXPECT_EQ(a.last.context.prompt_given, 5);
    EXPECT_EQ(a.last.context.prompt_kept, 5) << "the engine itself leaves nothing out";
    EXPECT_EQ(a.last.context.left, 256 - 5 - n);
    EXPECT_EQ(a.last.usage.passes, std::max<int64_t>(1, n)) << "one prefill, then one pass per further token";
    EXPECT_EQ(a.last.usage.prefill_passes, 1);
    EXPECT_EQ(a.last.rule, StopRule::kMaxTokens);
  }
}

TEST_F(EngineTest, TheAnswerDoesNotDependOnCompanyChunkOrOrder) {
  const std::vector<std::string> prompts = {"the first", "another text that is longer", "x",
                                            "the the the the"};
  std::vector<Answer> alone;
  const auto ask = [&](std::size_t i) {
    return request(encode(prompts[i]),
                   fmt::format(R"({{"max_tokens":20,"ignore_eos":true,"seed":{},"temperature":1.3,
        "top_k":40,"repetition_penalty":1.2}})",
                               i));
  };
  for (std::size_t i = 0; i < prompts.size(); ++i) alone.push_back(run_one(ask(i)));
  for (std::size_t i = 0; i < prompts.size(); ++i)
    EXPECT_EQ(run_one(ask(i), 1).ids, alone[i].ids) << "prefilled one by one";

  ThreadPool pool(2);
  Runner runner(model_, {KvType::kF16, 0, 4096}, pool);
  Engine engine(runner, {6});
  std::map<RequestId, Answer> answers;
  std::map<RequestId, std::size_t> which;
  for (std::size_t i : {2u, 0u}) which[engine.add(ask(i)).id] = i;
  const auto on_event = [&](const Event& e) { collect(answers, e); };
  for (int step = 0; step < 5; ++step) engine.step(on_event);
  for (std::size_t i : {3u, 1u, 0u}) which[engine.add(ask(i)).id] = i;
  while (engine.step(on_event)) {
  }
  ASSERT_EQ(answers.size(), 5u);
  for (const auto& [id, a] : answers) {
    EXPECT_EQ(a.ids, alone[which[id]].ids);
    EXPECT_EQ(a.logprobs, alone[which[id]].logprobs);
    EXPECT_EQ(a.text, alone[which[id]].text);
  }
}

TEST_F(EngineTest, SeedsDecideAndAreReported) {
  const auto ask = [&](const std::string& seed) {
    return request(encode("abc"), R"({"max_tokens":12,"ignore_eos":true)" + seed + "}");
  };
  EXPECT_EQ(run_one(ask(R"(,"seed":5)")).ids, run_one(ask(R"(,"seed":5)")).ids);
  EXPECT_NE(run_one(ask(R"(,"seed":5)")).ids, run_one(ask(R"(,"seed":6)")).ids);
  ThreadPool pool(1);
  Runner runner(model_, {}, pool);
  Engine engine(runner, {});
  EXPECT_NE(engine.add(ask("")).seed, engine.add(ask("")).seed);
  for (int i = 0; i < 32; ++i) EXPECT_LT(engine.add(ask("")).seed, uint64_t{1} << 53);
}

TEST_F(EngineTest, StopStringsEndTheTextAndAreNotShown) {
  const Answer free =
      run_one(request(encode("abc"), R"({"max_tokens":40,"ignore_eos":true,"temperature":0})"));
  ASSERT_GT(free.text.size(), 8u);
  const std::size_t at = free.text.size() / 2;
  std::string stop = free.text.substr(at, 3);
  while (!stop.empty() && (static_cast<unsigned char>(stop.front()) & 0xC0) == 0x80) stop.erase(0, 1);
  ASSERT_FALSE(stop.empty());
  Request r = request(encode("abc"), R"({"max_tokens":40,"ignore_eos":true,"temperature":0})");
  r.knobs.set("stop", std::vector<std::string>{stop}, "request");
  const Answer stopped = run_one(std::move(r));
  EXPECT_EQ(stopped.text, free.text.substr(0, free.text.find(stop)));
  EXPECT_EQ(stopped.last.finish, FinishReason::kStop);
  EXPECT_EQ(stopped.last.stop, stop);
}

TEST_F(EngineTest, EndTokensEndTheTextAndAreNotShown) {
  const Answer a = run_one(request(encode("abc"), R"({"max_tokens":9,"logit_bias":{"2":100}})"));
  EXPECT_EQ(a.ids, std::vector<TokenId>{2});
  EXPECT_EQ(a.text, "");
  EXPECT_EQ(a.last.finish, FinishReason::kStop);
  EXPECT_EQ(a.last.stop, "<|im_end|>");
}

TEST_F(EngineTest, PromptsThatDoNotFitAreRefusedWithBothCounts) {
  const std::vector<TokenId> ids(300, 10);
  const auto first = [&](std::size_t n) {
    return std::vector<TokenId>(ids.begin(), ids.begin() + static_cast<long>(n));
  };
  EXPECT_EQ(run_one(request(first(62), R"({"max_tokens":100,"ignore_eos":true})"), 512, 64).ids.size(), 2u);
  EXPECT_EQ(run_one(request(first(63), R"({"max_tokens":100,"ignore_eos":true})"), 512, 64).ids.size(), 1u);
  for (const std::size_t n : {64u, 65u, 300u}) {
    const std::string message =
        error_of(request(first(n), R"({"max_tokens":1})"), ErrorCode::kContextLength, 64);
    EXPECT_NE(message.find(std::to_string(n)), std::string::npos) << message;
    EXPECT_NE(message.find("64"), std::string::npos) << message;
  }
  EXPECT_EQ(run_one(request(first(64), R"({"max_tokens":0})"), 512, 64).ids.size(), 0u);
}

TEST_F(EngineTest, AWindowWithoutRoomSaysThatALargerOneIsNeeded) {
  EXPECT_EQ(error_of(request({5}, "{}"), ErrorCode::kContextLength, 1),
            "the prompt has 1 token and the window is 1: take a larger window (--window, at most 256)");
}

TEST_F(EngineTest, ClampingIsTold) {
  ThreadPool pool(1);
  Runner runner(model_, {}, pool);
  Engine engine(runner, {});
  const auto clamped = engine.add(request(encode("abc"), R"({"max_tokens":100000})"));
  EXPECT_EQ(clamped.max_tokens, 253);
  ASSERT_EQ(clamped.notices.size(), 1u);
  EXPECT_NE(clamped.notices[0].find("253"), std::string::npos);
  EXPECT_TRUE(engine.add(request(encode("abc"), "{}")).notices.empty())
      << "the default is the room that is left";
}

TEST_F(EngineTest, BadRequestsAreRefused) {
  EXPECT_NE(error_of(request({}, "{}"), ErrorCode::kBadInput).find("empty"), std::string::npos);
  EXPECT_NE(error_of(request({5, 100000}, "{}"), ErrorCode::kBadInput).find("100000"), std::string::npos);
  EXPECT_NE(error_of(request({-1}, "{}"), ErrorCode::kBadInput).find("-1"), std::string::npos);
  EXPECT_NE(error_of(request({5}, R"({"logit_bias":{"999999":1}})"), ErrorCode::kUsage).find("999999"),
            std::string::npos);
}

TEST_F(EngineTest, CancellingEndsOneAndLeavesTheOthers) {
  ThreadPool pool(1);
  Runner runner(model_, {KvType::kF16, 0, 4096}, pool);
  Engine engine(runner, {});
  const auto doomed =
      engine.add(request(encode("abc"), R"({"max_tokens":50,"ignore_eos":true,"seed":1})")).id;
  const auto other = engine.add(request(encode("xyz"), R"({"max_tokens":50,"ignore_eos":true,"seed":2})")).id;
  std::map<RequestId, Answer> answers;
  const auto on_event = [&](const Event& e) { collect(answers, e); };
  for (int i = 0; i < 3; ++i) engine.step(on_event);
  engine.cancel(doomed);
  while (engine.step(on_event)) {
  }
  EXPECT_EQ(answers[doomed].last.finish, FinishReason::kCancelled);
  EXPECT_EQ(answers[doomed].ids.size(), 3u);
  EXPECT_EQ(answers[other].ids.size(), 50u);
  EXPECT_EQ(answers[other].ids,
            run_one(request(encode("xyz"), R"({"max_tokens":50,"ignore_eos":true,"seed":2})")).ids);
}

TEST_F(EngineTest, AFullCacheEndsTheYoungestAloneWithAReason) {
  ThreadPool pool(1);
  Runner runner(model_, {KvType::kF16, 0, 2 * kKvBlock}, pool);
  Engine engine(runner, {});
  const auto old =
      engine.add(request(std::vector<TokenId>(60, 9), R"({"max_tokens":60,"ignore_eos":true,"seed":1})")).id;
  const auto young =
      engine.add(request(std::vector<TokenId>(60, 8), R"({"max_tokens":60,"ignore_eos":true,"seed":1})")).id;
  std::map<RequestId, Answer> answers;
  while (engine.step([&](const Event& e) { collect(answers, e); })) {
  }
  EXPECT_EQ(answers[young].last.finish, FinishReason::kError);
  EXPECT_NE(answers[young].last.error.find("KV cache is full"), std::string::npos);
  EXPECT_EQ(answers[young].last.error_code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(answers[old].last.finish, FinishReason::kLength);
  EXPECT_EQ(answers[old].ids.size(), 60u);
}

// Turns of a conversation, each prompt the one before with more text behind it.
TEST_F(EngineTest, AKeptPrefixIsNotReadAgainAndChangesNoBit) {
  ThreadPool pool(2);
  Runner runner(model_, {}, pool);
  Engine engine(runner, {.prefill_chunk = 512, .kept_sequences = 1});
  std::vector<TokenId> prompt =
      encode("a conversation of several turns that is longer than one block of the cache:");
  int64_t known = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const std::string knobs = R"({"max_tokens": 9, "temperature": 1, "ignore_eos": true, "seed": 7})";
    engine.add(request(prompt, knobs));
    std::map<RequestId, Answer> answers;
    while (engine.step([&](const Event& e) { collect(answers, e); })) {
    }
    ASSERT_EQ(answers.size(), 1u);
    const Answer& answer = answers.begin()->second;
    const Answer alone = run_one(request(prompt, knobs));
    EXPECT_EQ(answer.ids, alone.ids);
    EXPECT_EQ(answer.logprobs, alone.logprobs);
    EXPECT_EQ(answer.last.context.prompt_cached, known);
    EXPECT_EQ(alone.last.context.prompt_cached, 0);
    EXPECT_EQ(answer.last.context.left, alone.last.context.left);
    // The last token that was drawn has not been read.
    known = static_cast<int64_t>(prompt.size() + answer.ids.size()) - 1;
    prompt.insert(prompt.end(), answer.ids.begin(), answer.ids.end());
    const std::vector<TokenId> more = encode(" and on");
    prompt.insert(prompt.end(), more.begin(), more.end());
  }
}

TEST_F(EngineTest, WhatIsKeptGivesWayToWhatRuns) {
  ThreadPool pool(1);
  Runner runner(model_, {KvType::kF16, 256, 256}, pool);
  Engine engine(runner, {.prefill_chunk = 512, .kept_sequences = 8});
  for (const char* text : {"first", "second", "third", "fourth", "fifth", "sixth"}) {
    std::string prompt;
    while (encode(prompt).size() < 150) prompt += text;
    engine.add(request(encode(prompt), R"({"max_tokens": 3, "ignore_eos": true})"));
    std::map<RequestId, Answer> answers;
    while (engine.step([&](const Event& e) { collect(answers, e); })) {
    }
    EXPECT_EQ(answers.begin()->second.last.finish, FinishReason::kLength) << text;
  }
}

TEST_F(EngineTest, ACallbackThatThrowsLosesNothingOfTheEngine) {
  const auto ask = [&](int i) {
    return request(encode("abc"), fmt::format(R"({{"max_tokens":10,"ignore_eos":true,"seed":{}}})", i));
  };
  ThreadPool pool(1);
  Runner runner(model_, {KvType::kF16, 0, 4096}, pool);
  Engine engine(runner, {});
  for (int i = 0; i < 3; ++i) engine.add(ask(i));
  std::map<RequestId, Answer> answers;
  int n_events = 0;
  for (bool more = true; more;) {
    try {
      more = engine.step([&](const Event& e) {
        collect(answers, e);
        if (++n_events % 4 == 0) throw std::runtime_error("the reader went away");
      });
    } catch (const std::runtime_error&) {
    }
  }
  ASSERT_EQ(answers.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answers[i + 1].ids, run_one(ask(i)).ids) << i;
}

TEST_F(EngineTest, APromptLargerThanTheCacheIsRefusedWhenItComes) {
  ThreadPool pool(1);
  Runner runner(model_, {KvType::kF16, 0, 2 * kKvBlock}, pool);
  Engine engine(runner, {});
  try {
    engine.add(request(std::vector<TokenId>(150, 9), "{}"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_NE(std::string(e.what()).find("128"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kelda
