#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(StringFilters, GivesWhatJinja2Gives) { expect_golden("filters_string"); }

TEST(StringFilters, KeepWhoWroteWhat) {
  EXPECT_EQ(marked("{{ ('a' ~ m)|lower }}"), "‹a›input");
  EXPECT_EQ(marked("{{ (' a' ~ m ~ ' ')|trim }}"), "‹a›INPUT");
  EXPECT_EQ(marked("{{ (m ~ 'x')|replace('N', 'YY') }}"), "I‹YY›PUT‹x›");
  EXPECT_EQ(marked("{{ 'a<b>'|replace('<b>', m) }}"), "‹a›INPUT");
  EXPECT_EQ(marked("{{ 'x%sy'|format(m) }}"), "‹x›INPUT‹y›");
  EXPECT_EQ(marked("{{ m|indent(2, true) }}", R"({"m": "a\nb"})"), "‹  ›a\n‹  ›b");
  EXPECT_EQ(marked("{{ m|center(9) }}"), "‹  ›INPUT‹  ›");
  EXPECT_EQ(marked("{{ m|truncate(4, true, '..', 0) }}"), "IN‹..›");
  EXPECT_EQ(marked("{{ m|title }}{{ m|capitalize }}{{ m|upper }}"), "InputInputINPUT");
  EXPECT_EQ(marked("{{ m|wordwrap(3) }}"), "INP‹\n›UT");
  EXPECT_EQ(marked("{{ m|wordwrap(3) }}", R"({"m": "abcd\ne"})"), "abc‹\n›d\ne");
  EXPECT_EQ(marked("{{ '%s'|format(**m) }}", R"({"m": {"k": 1}})"), "‹{›'k'‹: ›1‹}›");
  EXPECT_EQ(marked("{{ n|string }}{{ 1|string }}"), "42‹1›");
}

TEST(StringFilters, RefuseWhatIsNoText) {
  EXPECT_EQ(error_of("{{ 'abc def'|wordwrap(3, true, 5) }}"), "'int' object has no attribute 'join'");
  EXPECT_EQ(error_of("{{ 'abc def'|wordwrap(3, true, missing) }}"), "'missing' is undefined");
  EXPECT_EQ(error_of("{{ [1, 2, 3, 4]|truncate(3, false, '', 0) }}"),
            "'list' object has no attribute 'rsplit'");
  EXPECT_EQ(text_of("{{ [1, 2, 3, 4]|truncate(3, true, [], 0) }}"), "[1, 2, 3]");
}

TEST(StringFilters, TakeTheSmallestWidth) {
  EXPECT_EQ(text_of("{{ 'x'|center(-9223372036854775807 - 1) }}"), "x");
}

}  // namespace
}  // namespace kelda::jinja
