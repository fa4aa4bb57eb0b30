#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Evaluate, GivesWhatJinja2Gives) { expect_golden("evaluate"); }

TEST(Evaluate, ConcatenationKeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ 'a' ~ m ~ 'b' ~ n ~ 7 }}"), "‹a›INPUT‹b›42‹7›");
}

TEST(Evaluate, AnErrorKnowsItsLine) {
  try {
    rendered("a\n{{ 1 }}\n{{ missing.x }}");
    FAIL();
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.line(), 3);
    EXPECT_STREQ(error.what(), "template:3: 'missing' is undefined");
  }
}

}  // namespace
}  // namespace kelda::jinja
