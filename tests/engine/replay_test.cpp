#include "engine/replay.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/tiny_llama.h"

namespace kelda {
namespace {

class ReplayTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = testing::tiny_llama(); }
  static void TearDownTestSuite() { model_.reset(); }

  ReplayTest() : pool_(2), runner_(model_, {}, pool_) {}

  // As a command records it, in company: another request is answered beside it.
  Trace record(const std::string& knobs, std::string_view prompt = "the text") {
    Engine engine(runner_, {.prefill_chunk = 3});
    Trace trace;
    trace.prompt = testing::encode(*model_, prompt);
    trace.knobs = testing::request_knobs(knobs);
    Request request{trace.prompt, trace.knobs, static_cast<int64_t>(kTraceTop)};
    engine.add(testing::request(testing::encode(*model_, "some company"), R"({"max_tokens": 3, "seed": 9})"));
    const Engine::Admitted admitted = engine.add(std::move(request));
    trace.seed = admitted.seed;
    trace.window = engine.window();
    while (engine.step([&](const Event& e) {
      if (e.request != admitted.id) return;
      if (e.draw) trace.steps.push_back(trace_step(*e.draw));
      if (e.finish) trace.finish = trace_finish(e);
    })) {
    }
    return trace;
  }
  void expect_differs(const Trace& trace, Replay::Difference difference, int64_t step,
                      const std::string& says) {
    const Replay result = replay(trace, runner_);
    EXPECT_EQ(name(result.difference), name(difference)) << result.why;
    EXPECT_EQ(result.n_equal, step) << result.why;
    EXPECT_NE(result.why.find(says), std::string::npos) << result.why;
  }

  static std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  Runner runner_;
};
std::shared_ptr<const Model> ReplayTest::model_;

using Difference = Replay::Difference;
const std::string kKnobs =
    R"({"max_tokens": 6, "ignore_eos": true, "temperature": 1.3, "top_k": 30, "seed": 4})";

TEST_F(ReplayTest, ARequestGoesTheSameWayOnOtherThreadsAndKernels) {
  const std::string all[] = {kKnobs,
                             R"({"max_tokens": 5, "temperature": 0, "ignore_eos": true})",
                             R"({"max_tokens": 5, "mirostat": 2, "ignore_eos": true})",
                             R"({"max_tokens": 4, "xtc_probability": 0.5, "repetition_penalty": 1.3})",
                             R"({"max_tokens": 0})",
                             R"({"max_tokens": 9, "logit_bias": {"2": 100}})",
                             R"({"min_tokens": 3, "max_tokens": 5, "profile": "llama.cpp"})",
                             R"({"max_tokens": 9, "stop": ["e"], "logit_bias": {"72": 100}})"};
  for (const std::string& knobs : all) {
    // Through the file's text, as a trace comes.
    Trace trace = record(knobs);
    trace.model.fingerprint = std::string(64, '0');
    trace.threads = 2;
    trace = parse_trace(trace_text(trace));
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      for (const auto* kernels : {&choose_kernels(), &kernels::scalar_table()}) {
        Runner other(model_, {}, pool, *kernels);
        const Replay result = replay(trace, other);
        EXPECT_EQ(result.difference, Difference::kNone) << knobs << ": " << result.why;
        EXPECT_EQ(result.n_equal, static_cast<int64_t>(trace.steps.size()));
        EXPECT_EQ(result.why, "");
      }
    }
  }
}

TEST_F(ReplayTest, AnotherModelGivesOtherLogits) {
  const Trace trace = record(kKnobs);
  const auto path =
      testing::write_tiny_model(*models::find_family("llama"), {.format = "q8_0", .n_ctx = 256, .seed = 2});
  Runner other(Model::load(path, {}, pool_), {}, pool_);
  std::filesystem::remove(path);
  const Replay result = replay(trace, other);
  EXPECT_EQ(result.difference, Difference::kLogits);
  EXPECT_EQ(result.n_equal, 0);
  EXPECT_NE(result.why.find("number 1 of the likeliest was token"), std::string::npos) << result.why;
}

TEST_F(ReplayTest, ALogitOfTheTraceIsComparedByItsBits) {
  Trace trace = record(kKnobs);
  trace.steps[3].top[2].logit = std::nextafter(trace.steps[3].top[2].logit, 0.0f);
  expect_differs(trace, Difference::kLogits, 3, "number 3 of the likeliest was token");
  trace = record(kKnobs);
  trace.steps[2].logits_sha256 = std::string(64, '0');
  expect_differs(trace, Difference::kLogits, 2, "the 8 largest logits are the same, and another one is not");
  trace = record(kKnobs);
  trace.steps[1].top.pop_back();
  expect_differs(trace, Difference::kLogits, 1, "the trace lists 7 of the likeliest");
}

TEST_F(ReplayTest, AnotherSeedOrSettingIsADifferenceInTheChain) {
  Trace trace = record(kKnobs);
  ++trace.seed;
  expect_differs(trace, Difference::kChain, 0, "from the same logits a token was drawn by the random number");
  trace = record(kKnobs);
  trace.knobs.set("temperature", 0.0, "test");
  expect_differs(trace, Difference::kChain, 0, "is drawn greedily");
  trace = record(kKnobs);
  trace.steps[4].token = trace.steps[4].token == 5 ? 6 : 5;
  expect_differs(trace, Difference::kChain, 4, "was drawn by the random number");
}

TEST_F(ReplayTest, AnEndThatIsAnotherIsADifference) {
  Trace trace = record(kKnobs);
  trace.steps.pop_back();
  expect_differs(trace, Difference::kFinish, 5,
                 "the trace ends here by length (max_tokens), and the answer goes on");
  trace = record(kKnobs);
  trace.steps.push_back(trace.steps.back());
  expect_differs(trace, Difference::kFinish, 6,
                 "the answer ends here by length (max_tokens), and the trace has 1 more step");
  trace = record(kKnobs);
  trace.finish.rule = StopRule::kWindow;
  expect_differs(trace, Difference::kFinish, 6, "ended by length (window), and ends by length (max_tokens)");
}

TEST_F(ReplayTest, WhatWasCutFromOutsideIsComparedAsFarAsItGoes) {
  for (const FinishReason reason : {FinishReason::kTime, FinishReason::kCancelled, FinishReason::kError}) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{4}}) {
      Trace trace = record(kKnobs);
      trace.knobs.set("time_limit", 1e-9, "test");
      trace.steps.resize(n);
      trace.finish = {reason, StopRule::kNone, "", ""};
      const Replay result = replay(trace, runner_);
      EXPECT_EQ(result.difference, Difference::kNone) << result.why;
      EXPECT_EQ(result.n_equal, static_cast<int64_t>(n));
    }
  }
  Trace trace = record(kKnobs);
  trace.finish = {FinishReason::kTime, StopRule::kTimeLimit, "", ""};
  trace.steps.push_back(trace.steps[0]);
  expect_differs(trace, Difference::kFinish, 6, "the answer ends here by length");
}

TEST_F(ReplayTest, ARequestThatTheModelCannotHaveIsRefused) {
  Trace trace = record(kKnobs);
  trace.prompt[1] = 5000;
  EXPECT_THROW(replay(trace, runner_), Error);
}

TEST(OtherModel, IsOneOfAnotherSizeOrFingerprint) {
  const Trace::Model a{"a", 100, std::string(64, 'a')};
  EXPECT_EQ(other_model(a, {"b", 100, a.fingerprint}), std::nullopt) << "its name does not count";
  EXPECT_NE(other_model(a, {"a", 101, a.fingerprint})->find("\"a\", a model of 100 bytes"),
            std::string::npos);
  EXPECT_NE(other_model(a, {"a", 100, std::string(64, 'b')})->find("bbbb"), std::string::npos);
}

}  // namespace
}  // namespace kelda
