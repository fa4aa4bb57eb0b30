#include "measure/needle.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/error.h"

namespace kelda::measure {
namespace {

// A token is a byte here, and an answer 10.
int64_t n_tokens(const std::string& message) { return static_cast<int64_t>(message.size()) + 10; }

std::vector<NeedleQuestion> questions(const NeedlePlan& plan) {
  std::vector<NeedleQuestion> all;
  ask_needles(plan, Filler(plan.seed), n_tokens, [&](const NeedleQuestion& q) { all.push_back(q); });
  return all;
}

const NeedlePlan kPlan{{0, 0.25, 0.5, 0.75, 1}, {1500, 3000}, 7, 3};

TEST(Needle, AsksEachFactAtEachDepthAndLength) {
  const auto all = questions(kPlan);
  EXPECT_EQ(all.size(), n_questions(kPlan));
  EXPECT_EQ(all.size(), 5u * 2 * 7);
  std::set<std::tuple<std::size_t, std::size_t, std::string>> asked;
  std::set<std::string> names;
  for (const NeedleQuestion& q : all) {
    asked.insert({q.length, q.depth, q.fact.name});
    names.insert(q.fact.name);
  }
  EXPECT_EQ(asked.size(), all.size());
  EXPECT_EQ(names.size(), 7u);
}

TEST(Needle, TheFactIsInTheTextOnceAndSoAreItsDistractors) {
  for (const NeedleQuestion& q : questions(kPlan)) {
    const std::size_t at = q.message.find(sentence_of(q.fact));
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(q.message.find(q.fact.code, at + sentence_of(q.fact).size()), std::string::npos);
    EXPECT_EQ(q.other_codes.size(), 4u);
    for (const std::string& code : q.other_codes)
      EXPECT_NE(q.message.find("is " + code + "."), std::string::npos);
    EXPECT_TRUE(q.message.ends_with("\n\n" + question_about(q.fact)));
    EXPECT_NEAR(static_cast<double>(at) / static_cast<double>(q.message.size()), kPlan.depths[q.depth], 0.13);
  }
}

TEST(Needle, ATextIsAsLongAsFitsToTheSentence) {
  for (const NeedleQuestion& q : questions(kPlan)) {
    const int64_t length = kPlan.lengths[q.length];
    EXPECT_LE(n_tokens(q.message), length);
    EXPECT_GT(n_tokens(q.message), length - 150);
  }
}

TEST(Needle, QuestionsAboutOneTextComeInARow) {
  std::map<std::size_t, std::string> texts;
  std::size_t latest = 0;
  for (const NeedleQuestion& q : questions(kPlan)) {
    EXPECT_GE(q.document, latest);
    latest = q.document;
    const std::string text = q.message.substr(0, q.message.rfind("\n\n"));
    EXPECT_EQ(texts.emplace(q.document, text).first->second, text);
  }
  EXPECT_EQ(texts.size(), 2u * 10) << "two groups of five facts, each in five places, for each length";
}

TEST(Needle, ALengthWithoutRoomIsRefusedBeforeTheFirstQuestion) {
  const NeedlePlan plan{{0, 0.5, 1}, {300, 3000}, 3, 1};
  bool asked = false;
  try {
    ask_needles(plan, Filler(1), n_tokens, [&](const NeedleQuestion&) { asked = true; });
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    const std::string message = e.what();
    EXPECT_NE(message.find("--lengths: 300 tokens"), std::string::npos) << message;
    const auto needed = std::stoll(message.substr(message.find("at least ") + 9));
    const NeedlePlan enough{plan.depths, {needed + 40}, 3, 1};  // texts differ a little
    EXPECT_EQ(questions(enough).size(), 9u);
  }
  EXPECT_FALSE(asked);
}

TEST(NeedleScore, CountsWhatIsRightAndWhatIsAnothers) {
  NeedleScore score(kPlan);
  const NeedleQuestion q{0, 1, 2, {"Mira Holm", "12345"}, {"54321"}, ""};
  EXPECT_TRUE(score.add(q, "It is 12345."));
  EXPECT_FALSE(score.add(q, "54321"));
  EXPECT_FALSE(score.add(q, "123456"));
  EXPECT_FALSE(score.add(q, "I do not know"));
  EXPECT_FALSE(score.add(q, "Not 54321 but 12345"));
  EXPECT_EQ(score.cell(1, 2).n, 5);
  EXPECT_EQ(score.cell(1, 2).n_right, 1);
  EXPECT_EQ(score.cell(1, 2).n_confused, 2);
  NeedleQuestion other = q;
  other.length = 0;
  score.add(other, "12345");
  EXPECT_EQ(score.of_length(1).n, 5);
  EXPECT_EQ(score.of_length(0).n_right, 1);
  EXPECT_EQ(score.of_depth(2).n, 6);
  EXPECT_EQ(score.of_depth(1).n, 0);
  EXPECT_EQ(score.all().n_right, 2);
}

}  // namespace
}  // namespace kelda::measure
