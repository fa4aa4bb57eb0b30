#include "jinja/strftime.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Strftime, GivesWhatJinja2Gives) { expect_golden("strftime"); }

TEST(Strftime, WeeksOfTheYearsEnds) {
  using namespace std::chrono;
  const auto at = [](int y, unsigned m, unsigned d) {
    return strftime("%G-W%V-%u %U %W %j", sys_days(year(y) / month(m) / day(d)));
  };
  EXPECT_EQ(at(2021, 1, 3), "2020-W53-7 01 00 003");
  EXPECT_EQ(at(2024, 12, 30), "2025-W01-1 52 53 365");
  EXPECT_EQ(at(2000, 2, 29), "2000-W09-2 09 09 060");
}

}  // namespace
}  // namespace kelda::jinja
