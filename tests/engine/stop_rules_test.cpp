#include "engine/stop_rules.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/tiny_llama.h"

namespace kelda {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class StopRulesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = testing::tiny_llama(); }
  static void TearDownTestSuite() { model_.reset(); }
  static StopRules rules(const std::string& json) {
    return {testing::request_knobs(json), model_->vocabulary(), model_->config().vocab_size};
  }
  static std::string refusal(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  static std::shared_ptr<const Model> model_;
};
std::shared_ptr<const Model> StopRulesTest::model_;

TEST_F(StopRulesTest, EveryEndTokenOfTheModelEndsUnlessIgnored) {  // BR-041
  ASSERT_FALSE(model_->vocabulary().end_tokens().empty());
  for (const TokenId id : model_->vocabulary().end_tokens()) {
    const auto stop = rules("{}").token_stop(id);
    ASSERT_TRUE(stop) << id;
    EXPECT_EQ(stop->rule, StopRule::kEndToken);
    EXPECT_EQ(stop->text, model_->vocabulary().piece(id));
    EXPECT_FALSE(rules(R"({"ignore_eos": true})").token_stop(id));
  }
  EXPECT_FALSE(rules("{}").token_stop(100));
}

TEST_F(StopRulesTest, StopTokensEndWhateverBecomesOfEndTokens) {
  for (const char* json : {R"({"stop_token_ids": [100, 7]})", R"({"stop_token_ids": 100})",
                           R"({"stop_token_ids": [7, 100], "ignore_eos": true})"}) {
    const auto stop = rules(json).token_stop(100);
    ASSERT_TRUE(stop) << json;
    EXPECT_EQ(stop->rule, StopRule::kStopToken);
    EXPECT_EQ(stop->text, model_->vocabulary().piece(100));
    EXPECT_FALSE(rules(json).token_stop(99));
  }
}

TEST_F(StopRulesTest, IdsThatTheModelHasNotAreNamed) {
  const int64_t n = model_->config().vocab_size;
  const std::string last = fmt::format(R"({{"stop_token_ids": [5, {}]}})", n - 1);
  EXPECT_NO_THROW(rules(last));
  const std::string message = refusal([&] { rules(fmt::format(R"({{"stop_token_ids": [{}, 5]}})", n)); });
  EXPECT_NE(message.find(fmt::format("stop_token_ids names the token id {}", n)), std::string::npos)
      << message;
  EXPECT_NE(message.find(std::to_string(n - 1)), std::string::npos) << message;
}

TEST_F(StopRulesTest, BeforeMinTokensNoTokenThatEndsCanBeDrawn) {
  StopRules r = rules(R"({"min_tokens": 3, "stop_token_ids": [100]})");
  const std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size), 1.0f);
  for (const int64_t n : {0, 1, 2}) {
    const auto row = r.drawable(logits, n);
    ASSERT_EQ(row.size(), logits.size());
    for (TokenId id = 0; id < model_->config().vocab_size; ++id) {
      const bool ends = r.token_stop(id).has_value();
      EXPECT_EQ(row[static_cast<std::size_t>(id)], ends ? -kInf : 1.0f) << id;
    }
  }
  EXPECT_EQ(r.drawable(logits, 3).data(), logits.data()) << "nothing is copied where nothing is kept out";
}

TEST_F(StopRulesTest, IgnoredEndTokensStayInTheDraw) {
  StopRules r = rules(R"({"min_tokens": 3, "stop_token_ids": [100], "ignore_eos": true})");
  const std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size), 1.0f);
  const auto row = r.drawable(logits, 0);
  EXPECT_EQ(row[100], -kInf);
  for (const TokenId id : model_->vocabulary().end_tokens())
    EXPECT_EQ(row[static_cast<std::size_t>(id)], 1.0f);
}

TEST_F(StopRulesTest, MinTokensThatLeaveNothingAreAnError) {
  StopRules r = rules(R"({"min_tokens": 1, "stop_token_ids": [100]})");
  std::vector<float> logits(static_cast<std::size_t>(model_->config().vocab_size), -kInf);
  logits[100] = 1;
  EXPECT_NE(refusal([&] { r.drawable(logits, 0); }).find("min_tokens 1"), std::string::npos);
}

TEST_F(StopRulesTest, StopTextsCountFromMinTokensOn) {
  StopRules r = rules(R"({"min_tokens": 2, "stop": ["ab"]})");
  EXPECT_EQ(r.push("ab", 0), "ab");
  EXPECT_EQ(r.push("a", 1), "a");
  EXPECT_EQ(r.push("b", 2), "b") << "it began in the first two tokens";
  EXPECT_FALSE(r.text_stop());
  EXPECT_EQ(r.push("xab", 3), "x");
  ASSERT_TRUE(r.text_stop());
  EXPECT_EQ(r.text_stop()->rule, StopRule::kStopText);
  EXPECT_EQ(r.text_stop()->text, "ab");
}

// Every way to cut the text over tokens gives the same text, and the same stop.
TEST_F(StopRulesTest, AStopTextIsFoundHoweverItIsSplit) {  // BR-007
  const std::string text = "ABCDEFGHIJKLM";
  for (unsigned cuts = 0; cuts < 1u << (text.size() - 1); ++cuts) {
    StopRules r = rules(R"({"stop": ["DEFGHIX", "DEFGHIJ", "DEFGHIJKL"]})");
    std::string shown;
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= text.size() && !r.text_stop(); ++end) {
      if (end < text.size() && (cuts >> (end - 1) & 1) == 0) continue;
      shown += r.push(text.substr(begin, end - begin), static_cast<int64_t>(begin));
      begin = end;
    }
    ASSERT_EQ(shown, "ABC") << cuts;
    ASSERT_TRUE(r.text_stop());
    ASSERT_EQ(r.text_stop()->text, "DEFGHIJ");
  }
}

TEST_F(StopRulesTest, AStopTextThatFailsIsGivenOut) {  // BR-007
  StopRules r = rules(R"({"stop": ["DEFGHIX"]})");
  std::string shown;
  for (const char c : std::string("ABCDEFGHIJKLM")) shown += r.push(std::string(1, c), 0);
  EXPECT_EQ(shown + r.finish(), "ABCDEFGHIJKLM");
  EXPECT_FALSE(r.text_stop());
}

}  // namespace
}  // namespace kelda
