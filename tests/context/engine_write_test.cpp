#include "context/engine_write.h"

#include "context/bytes.h"
#include "engine/tiny_llama.h"

namespace kelda::context {
namespace {

class EngineWriteTest : public ::testing::Test {
 protected:
  EngineWriteTest()
      : model_(testing::tiny_llama(256)), pool_(1), runner_(model_, {}, pool_), engine_(runner_, {}) {}
  std::vector<TokenId> ids(std::string_view text) const { return testing::encode(*model_, text); }

  std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  Runner runner_;
  Engine engine_;
};

TEST_F(EngineWriteTest, WritesWhatAGreedyRequestAnswers) {
  const Write write = engine_write(engine_, {});
  const Written written = write(ids("hello"), 12);
  EXPECT_EQ(written.usage.prompt_tokens, 5);
  EXPECT_EQ(written.usage.prefill_passes, 1);
  engine_.add(testing::request(ids("hello"), R"({"temperature": 0, "max_tokens": 12})"));
  std::string text;
  Event last;
  while (engine_.step([&](const Event& e) {
    text += e.text;
    if (e.finish) last = e;
  })) {
  }
  EXPECT_EQ(written.text, text);
  EXPECT_EQ(written.usage.completion_tokens, last.usage.completion_tokens);
  EXPECT_EQ(written.ended, last.finish == FinishReason::kStop);
  EXPECT_EQ(write(ids("hello"), 12).text, text) << "once more the same";
}

TEST_F(EngineWriteTest, StopsWhereItIsTold) {
  int n = 0;
  const Write write = engine_write(engine_, [&] { return ++n > 3; });
  error_of(ErrorCode::kInterrupted, [&] { write(ids("hello"), 200); });
  EXPECT_FALSE(engine_.step([](const Event&) {})) << "nothing is left running";
}

TEST_F(EngineWriteTest, WhatTheEngineRefusesIsItsError) {
  const Write write = engine_write(engine_, {});
  error_of(ErrorCode::kContextLength, [&] { write(std::vector<TokenId>(300, 5), 1); });
  error_of(ErrorCode::kBadInput, [&] { write({}, 1); });
}

}  // namespace
}  // namespace kelda::context
