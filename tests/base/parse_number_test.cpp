#include "base/parse_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace kelda {
namespace {

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number<int64_t>("-12"), -12);
  EXPECT_EQ(parse_number<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<double>("1e-3"), 1e-3);
  for (const char* bad : {"", " 1", "1 ", "+1", "0x1", "1.5", "1e3", "one", "9223372036854775808"})
    EXPECT_FALSE(parse_number<int64_t>(bad)) << bad;
  for (const char* bad : {"", " 1", "1,5", "+1", "1e400", "1f"})
    EXPECT_FALSE(parse_number<double>(bad)) << bad;
  EXPECT_FALSE(parse_number<uint64_t>("-1"));
  EXPECT_TRUE(std::isnan(*parse_number<double>("nan")));
}

}  // namespace
}  // namespace kelda
