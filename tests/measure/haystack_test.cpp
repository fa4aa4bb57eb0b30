#include "measure/haystack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace kelda::measure {
namespace {

TEST(Haystack, FactsAreAllDifferentAndTheSeeds) {
  const auto facts = make_facts(kMostFacts, 1);
  std::set<std::string> names, codes;
  for (const Fact& fact : facts) {
    names.insert(fact.name);
    codes.insert(fact.code);
    EXPECT_EQ(fact.code.size(), 5u);
  }
  EXPECT_EQ(names.size(), kMostFacts);
  EXPECT_EQ(codes.size(), kMostFacts);
  EXPECT_EQ(sentence_of(make_facts(3, 1)[2]), sentence_of(facts[2])) << "the same seed";
  EXPECT_NE(make_facts(3, 2)[2].code, facts[2].code);
}

TEST(Haystack, NeighboursShareNoName) {
  const auto facts = make_facts(100, 3);
  for (std::size_t i = 0; i + 20 <= facts.size(); i += 20) {
    std::set<std::string> words;
    for (std::size_t j = i; j < i + 20; ++j) {
      const std::size_t blank = facts[j].name.find(' ');
      words.insert(facts[j].name.substr(0, blank));
      words.insert(facts[j].name.substr(blank + 1));
    }
    EXPECT_EQ(words.size(), 40u);
  }
}

TEST(Haystack, TheFirstNumberOfAnAnswerCounts) {
  EXPECT_EQ(first_number("The secret number of Mira is 48173."), "48173");
  EXPECT_EQ(first_number("48173"), "48173");
  EXPECT_EQ(first_number("No. 1, or 48173"), "1");
  EXPECT_EQ(first_number("481730"), "481730") << "longer numbers are others";
  EXPECT_EQ(first_number("none"), "");
  EXPECT_EQ(first_number(""), "");
}

TEST(Haystack, OurSentencesHaveNoNumbers) {
  const Filler filler(7);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::string sentence = filler.sentence(i);
    EXPECT_EQ(first_number(sentence), "") << sentence;
    EXPECT_TRUE(sentence.ends_with("."));
    seen.insert(sentence);
  }
  EXPECT_GT(seen.size(), 1500u);
  EXPECT_EQ(Filler(7).sentence(5), filler.sentence(5));
  EXPECT_NE(Filler(8).sentence(5), filler.sentence(5));
}

TEST(Haystack, ATextOfOnesOwnIsTakenBySentences) {
  const Filler filler("One  goes\nhere. Two? A heading\n\nThree!");
  EXPECT_EQ(filler.sentence(0), "One goes here.");
  EXPECT_EQ(filler.sentence(1), "Two?");
  EXPECT_EQ(filler.sentence(2), "A heading");
  EXPECT_EQ(filler.sentence(3), "Three!");
  EXPECT_EQ(filler.sentence(4), "One goes here.");
  EXPECT_THROW(Filler(std::string_view(" \n ")), Error);
}

TEST(Haystack, FactsStandAtTheirDepths) {
  const Filler filler(1);
  const auto facts = make_facts(3, 1);
  const std::vector<double> depths = {0, 0.5, 1};
  const std::string text = haystack(filler, 40, 20, facts, depths);
  EXPECT_TRUE(text.starts_with(sentence_of(facts[0])));
  EXPECT_TRUE(text.ends_with(sentence_of(facts[2])));
  const std::size_t middle = text.find(sentence_of(facts[1]));
  ASSERT_NE(middle, std::string::npos);
  EXPECT_NEAR(static_cast<double>(middle) / static_cast<double>(text.size()), 0.5, 0.1);
  const auto n_marks = std::count(text.begin(), text.end(), '.');
  EXPECT_EQ(n_marks, 23);
  std::size_t n_paragraphs = 1;
  for (std::size_t at = 0; (at = text.find("\n\n", at)) != std::string::npos; at += 2) ++n_paragraphs;
  EXPECT_EQ(n_paragraphs, 4u) << "23 sentences, six in each";
  EXPECT_NE(text.find(filler.sentence(40)), std::string::npos);
  EXPECT_EQ(text.find(filler.sentence(39)), std::string::npos);
}

}  // namespace
}  // namespace kelda::measure
