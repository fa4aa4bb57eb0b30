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

TEST(EscapeControls, ChangesNothingElse) {
  EXPECT_EQ(escape_controls("a \"path\\\" é\nnext"), "a \"path\\\" é\nnext");
  EXPECT_EQ(escape_controls("x\x1B[2J\r\xFF\x7F"), R"(x\x1B[2J\x0D\xFF\x7F)");
  EXPECT_EQ(escape_controls(std::string(1000, 'y')), std::string(1000, 'y'));
  EXPECT_EQ(escape_controls(""), "");
}

}  // namespace
}  // namespace kelda
