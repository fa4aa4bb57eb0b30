#include "base/checked.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

constexpr uint64_t kMax = UINT64_MAX;

TEST(Checked, ProductsThatFit) {
  EXPECT_EQ(checked_mul(0, kMax), 0u);
  EXPECT_EQ(checked_mul(kMax, 1), kMax);
  EXPECT_EQ(checked_mul(1u << 31, 1u << 31), uint64_t{1} << 62);
  EXPECT_EQ(checked_mul(kMax / 3, 3), kMax / 3 * 3);
}

TEST(Checked, ProductsThatDoNot) {
  EXPECT_FALSE(checked_mul(uint64_t{1} << 32, uint64_t{1} << 32));
  EXPECT_FALSE(checked_mul(kMax, 2));
  EXPECT_FALSE(checked_mul(kMax / 3 + 1, 3));
  EXPECT_FALSE(checked_mul((uint64_t{1} << 61) + 1, 8));
}

TEST(Checked, Sums) {
  EXPECT_EQ(checked_add(kMax, 0), kMax);
  EXPECT_EQ(checked_add(kMax - 5, 5), kMax);
  EXPECT_FALSE(checked_add(kMax, 1));
  EXPECT_FALSE(checked_add(kMax / 2 + 1, kMax / 2 + 1));
}

TEST(Checked, RoundsUp) {
  EXPECT_EQ(round_up(0, 64), 0);
  EXPECT_EQ(round_up(1, 64), 64);
  EXPECT_EQ(round_up(64, 64), 64);
  EXPECT_EQ(round_up(65, 64), 128);
  EXPECT_EQ(ceil_div(0, 32), 0);
  EXPECT_EQ(ceil_div(33, 32), 2);
}

}  // namespace
}  // namespace kelda
