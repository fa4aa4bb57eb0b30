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
  EXPECT_EQ(marked("{{ m|indent(2, true) }}", R"({"m": "a\nb"})"), "‹  ›a‹\n  ›b");
  EXPECT_EQ(marked("{{ m|center(9) }}"), "‹  ›INPUT‹  ›");
  EXPECT_EQ(marked("{{ m|truncate(4, true, '..', 0) }}"), "IN‹..›");
  EXPECT_EQ(marked("{{ m|title }}{{ m|capitalize }}{{ m|upper }}"), "InputInputINPUT");
  EXPECT_EQ(marked("{{ m|wordwrap(3) }}"), "INP‹\n›UT");
  EXPECT_EQ(marked("{{ n|string }}{{ 1|string }}"), "42‹1›");
}

}  // namespace
}  // namespace kelda::jinja
