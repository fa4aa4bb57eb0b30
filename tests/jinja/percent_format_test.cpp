#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(PercentFormat, GivesWhatJinja2Gives) { expect_golden("percent_format"); }

TEST(PercentFormat, KeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ '<%s|%7s|%d>' % (m, m, n) }}"), "‹<›INPUT‹|  ›INPUT‹|›42‹>›");
  EXPECT_EQ(marked("{{ m % 'x' }}", R"({"m": "a%sb"})"), "a‹x›b");
}

}  // namespace
}  // namespace kelda::jinja
