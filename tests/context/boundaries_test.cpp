#include "context/boundaries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kelda::context {
namespace {

// The texts between all gaps of that kind, from the front and, which must be the same, from the back.
std::vector<std::string> parts(std::string_view text, Boundary kind) {
  std::vector<std::string> forward, backward;
  for (std::size_t begin = 0; begin < text.size();) {
    const Gap gap = gap_from(text, begin + 1, kind);
    forward.emplace_back(text.substr(begin, gap.end - begin));
    begin = gap.begin;
  }
  for (std::size_t end = text.size(); end > 0;) {
    const Gap gap = gap_until(text, end - 1, kind);
    backward.emplace_back(text.substr(gap.begin, end - gap.begin));
    end = gap.end;
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward) << name(kind);
  return forward;
}

using Parts = std::vector<std::string>;

TEST(Boundaries, EachKindHasItsPlaces) {
  const std::string text = "One two. Three?\nFour\n\n \nFive.";
  EXPECT_EQ(parts(text, Boundary::kParagraph), (Parts{"One two. Three?\nFour", "Five."}));
  EXPECT_EQ(parts(text, Boundary::kLine), (Parts{"One two. Three?", "Four", "Five."}));
  EXPECT_EQ(parts(text, Boundary::kSentence), (Parts{"One two.", "Three?", "Four", "Five."}));
  EXPECT_EQ(parts(text, Boundary::kWord), (Parts{"One", "two.", "Three?", "Four", "Five."}));
  EXPECT_EQ(parts("aé🦙", Boundary::kCharacter), (Parts{"a", "é", "🦙"}));
}

TEST(Boundaries, SentencesEndInSeveralScripts) {
  EXPECT_EQ(parts("He said \"no.\" She left… (Now!) end", Boundary::kSentence),
            (Parts{"He said \"no.\"", "She left…", "(Now!)", "end"}));
  EXPECT_EQ(parts("你好。再见！好", Boundary::kSentence), (Parts{"你好。", "再见！", "好"}));
  EXPECT_EQ(parts("3.5 is no end", Boundary::kSentence), Parts{"3.5 is no end"});
}

TEST(Boundaries, WhereThereIsNoneTheTextEnds) {
  EXPECT_EQ(gap_from("abc", 1, Boundary::kWord), (Gap{3, 3}));
  EXPECT_EQ(gap_until("abc", 2, Boundary::kWord), (Gap{0, 0}));
  EXPECT_EQ(gap_from("a b", 0, Boundary::kParagraph), (Gap{0, 0}));
  EXPECT_EQ(gap_until("a b", 3, Boundary::kParagraph), (Gap{3, 3}));
  EXPECT_EQ(gap_from("", 0, Boundary::kWord), (Gap{0, 0}));
  EXPECT_EQ(gap_until("", 0, Boundary::kCharacter), (Gap{0, 0}));
}

TEST(Boundaries, ThePlaceAskedForMayLieWithinTheBlanks) {
  const std::string_view text = "ab   cd";
  for (const std::size_t at : {2u, 3u, 4u, 5u}) {
    EXPECT_EQ(gap_from(text, at, Boundary::kWord), (Gap{2, 5})) << at;
    EXPECT_EQ(gap_until(text, at, Boundary::kWord), (Gap{2, 5})) << at;
  }
  EXPECT_EQ(gap_from(text, 6, Boundary::kWord), (Gap{7, 7}));
  EXPECT_EQ(gap_until(text, 1, Boundary::kWord), (Gap{0, 0}));
}

TEST(Boundaries, NeverInsideACharacter) {
  const std::string text = "é🦙é";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    for (const Gap gap :
         {gap_from(text, at, Boundary::kCharacter), gap_until(text, at, Boundary::kCharacter)})
      EXPECT_TRUE(gap.begin == text.size() || (static_cast<unsigned char>(text[gap.begin]) & 0xC0) != 0x80);
  }
}

}  // namespace
}  // namespace kelda::context
