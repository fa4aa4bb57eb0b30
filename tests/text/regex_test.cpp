#include "text/regex.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::text {
namespace {

TEST(Regex, FindsTheLeftmostMatchFromAnOffset) {
  const Regex r("b+");
  Regex::Matcher m(r);
  const auto first = m.find("abbcb", 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->begin, 1u);
  EXPECT_EQ(first->end, 3u);
  EXPECT_EQ(m.find("abbcb", 3)->begin, 4u);
  EXPECT_FALSE(m.find("abbcb", 5));
  EXPECT_FALSE(m.find("", 0));
}

TEST(Regex, SeesNothingBeyondTheSubject) {
  const Regex r(R"(\s+(?!\S)|\s+)");
  Regex::Matcher m(r);
  const std::string_view text = "   x";
  EXPECT_EQ(m.find(text, 0)->end, 2u);
  EXPECT_EQ(m.find(text.substr(0, 3), 0)->end, 3u);
}

TEST(Regex, TakesRunsOfAnyLengthWithoutRunningOutOfStack) {
  const Regex r(R"('s| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  Regex::Matcher m(r);
  for (const char* unit : {"a", "\n", "!", "é", "中"}) {
    std::string text;
    while (text.size() < (8u << 20)) text += unit;
    const auto found = m.find(text, 0);
    ASSERT_TRUE(found) << unit;
    EXPECT_EQ(found->end - found->begin, text.size()) << unit;
  }
}

std::vector<std::string> walk(std::string_view pattern, std::string_view text) {
  const Regex r(pattern);
  Regex::Matcher m(r);
  Regex::Walk w(m, text);
  std::vector<std::string> out;
  while (const auto match = w.next()) out.push_back(fmt::format("{}-{}", match->begin, match->end));
  return out;
}

TEST(Regex, WalksOverAllMatchesEmptyOnesIncluded) {
  using Matches = std::vector<std::string>;
  EXPECT_EQ(walk("b", "abcb"), (Matches{"1-2", "3-4"}));
  EXPECT_EQ(walk("b*", "abb"), (Matches{"0-0", "1-3"}));  // no empty match right after another
  EXPECT_EQ(walk("(?=é)", "éé"), (Matches{"0-0", "2-2"}));
  EXPECT_EQ(walk("$", "a"), (Matches{"1-1"}));
  EXPECT_EQ(walk("x", ""), (Matches{}));
}

TEST(Regex, LinesHaveBeginningsAndEndsAsInRuby) {
  EXPECT_EQ(walk("^a", "a\na").size(), 2u);
  EXPECT_EQ(walk("a$", "a\na").size(), 2u);
  EXPECT_EQ(walk(".", "a\n\r").size(), 2u);  // "." is anything but a newline
}

TEST(Regex, APatternThatTriesEverythingIsStopped) {
  const Regex r("(a|aa|a*)*(b|c)");
  Regex::Matcher m(r);
  try {
    m.find(std::string(5000, 'a'), 0);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("steps"), std::string::npos) << e.what();
  }
}

TEST(Regex, SaysWhereAPatternIsWrong) {
  try {
    const Regex r("a(b");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("a(b"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kelda::text
