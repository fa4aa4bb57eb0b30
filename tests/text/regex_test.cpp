#include "text/regex.h"

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
