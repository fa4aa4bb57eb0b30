#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParserTokens, ErrorsSayWhatWasExpectedAndWhere) {
  EXPECT_EQ(error_of("{{ f(1 }}"), "unexpected '}', expected ')'");
  EXPECT_EQ(error_of("{{ 1"), "unexpected end of template, expected 'end of print statement'.");
  EXPECT_EQ(error_of("{{ a 'x' }}"), "expected token 'end of print statement', got 'string'");
  EXPECT_EQ(error_of("{{ a 1.5 }}"), "expected token 'end of print statement', got 'float'");
  try {
    Template bad("\n\n{% if %}", "chat");
    FAIL();
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.line(), 3);
    EXPECT_STREQ(error.what(), "chat:3: Expected an expression, got 'end of statement block'");
  }
}

}  // namespace
}  // namespace kelda::jinja
