#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(NumberFormat, GivesWhatJinja2Gives) { expect_golden("number_format"); }

// The right-hand sides are Python's.
TEST(NumberFormat, GroupsDigits) {
  EXPECT_EQ(text_of("{{ '{:_x}'.format(3735928559) }} {{ '{:_X}'.format(3735928559) }}"),
            "dead_beef DEAD_BEEF");
  EXPECT_EQ(text_of("{{ '{:04,}'.format(1) }} {{ '{:05,}'.format(1) }} {{ '{:012,.2f}'.format(-1234.5) }}"),
            "0,001 0,001 -0,001,234.50");
  EXPECT_EQ(text_of("{{ '{:015_x}'.format(3735928559) }} {{ '{:#015_x}'.format(3735928559) }}"),
            "0_0000_dead_beef 0x000_dead_beef");
  EXPECT_EQ(text_of("{{ '{:020,e}'.format(12345678.0) }} {{ '{:010,}'.format('inf'|float) }}"),
            "0,000,001.234568e+07 0000000inf");
  EXPECT_EQ(text_of("{{ '{:x=012,}'.format(-1234) }} {{ '{:0=12,}'.format(-1234) }}"),
            "-xxxxxx1,234 -000,001,234");
  EXPECT_EQ(error_of("{{ '{:,x}'.format(1) }}"), "Cannot specify ',' with 'x'.");
  EXPECT_EQ(error_of("{{ '{:_n}'.format(1) }}"), "Cannot specify '_' with 'n'.");
}

TEST(NumberFormat, WritesNoHalfOfASurrogatePair) {
  EXPECT_EQ(error_of("{{ '%c' % 55296 }}"), "a surrogate stands alone");
  EXPECT_EQ(error_of("{{ '{:c}'.format(57343) }}"), "a surrogate stands alone");
  EXPECT_EQ(error_of("{{ '{:c}'.format(n) }}", R"({"n": 123456789012345678901})"),
            "%c arg not in range(0x110000)");
}

}  // namespace
}  // namespace kelda::jinja
