#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(BraceFormat, GivesWhatJinja2Gives) { expect_golden("brace_format"); }

TEST(BraceFormat, KeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ '<{}|{:>7}>'.format(m, m) }}"), "‹<›INPUT‹|  ›INPUT‹>›");
  EXPECT_EQ(marked("{{ m.format('x') }}", R"({"m": "a{}b"})"), "a‹x›b");
  EXPECT_EQ(marked("{{ '{:d}'.format(n) }}"), "42");
}

TEST(BraceFormat, RefusesAHugeWidth) {
  EXPECT_NE(error_of("{{ '{:2000000000}'.format(1) }}").find("value_bytes"), std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
