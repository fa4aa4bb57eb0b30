#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(PercentFormat, GivesWhatJinja2Gives) { expect_golden("percent_format"); }

TEST(PercentFormat, KeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ '<%s|%7s|%d>' % (m, m, n) }}"), "‹<›INPUT‹|  ›INPUT‹|›42‹>›");
  EXPECT_EQ(marked("{{ m % 'x' }}", R"({"m": "a%sb"})"), "a‹x›b");
}

TEST(PercentFormat, RefusesWidthsOutOfRange) {
  EXPECT_EQ(error_of("{{ '%*d' % (-9223372036854775807 - 1, 1) }}"), "width too big");
  EXPECT_EQ(error_of("{{ '%*d' % (4611686018427387904, 1) }}"), "width too big");
  EXPECT_EQ(text_of("{{ '%*d|%-4d|' % (-3, 1, 2) }}"), "1  |2   |");
}

TEST(PercentFormat, AsciiHasEscapesForTheRest) {
  EXPECT_EQ(text_of("{{ '%a %r' % ('\u00E9\u65E5', '\u00E9') }}{{ '{!a}'.format('\U0001F600') }}"),
            R"('\xe9\u65e5' ')"
            "\u00E9"
            R"(''\U0001f600')");
}

}  // namespace
}  // namespace kelda::jinja
