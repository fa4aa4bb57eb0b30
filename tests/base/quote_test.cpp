#include "base/quote.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(Quote, EscapesWhatATerminalMustNotSee) {
  EXPECT_EQ(quote("plain Ġt"), "\"plain Ġt\"");
  EXPECT_EQ(quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quote(std::string_view("\0\n\x1B[2J\x7F", 7)), R"("\x00\x0A\x1B[2J\x7F")");
  EXPECT_EQ(quote("\xFFok\xC2"), R"("\xFFok\xC2")");
  EXPECT_EQ(quote("\xC2\x9B"
                  "2J"),
            R"("\xC2\x9B2J")");  // C1 control sequence introducer
}

TEST(Quote, CutsAtACharacterBorder) {
  EXPECT_EQ(quote("abcdef", 3), "\"abc…\"");
  EXPECT_EQ(quote("abé", 3), "\"ab…\"");
  EXPECT_EQ(quote("abc", 3), "\"abc\"");
  EXPECT_EQ(quote("abc", 0), "\"…\"");
}

}  // namespace
}  // namespace kelda
