#include "base/check.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(Check, TrueConditionIsEvaluatedOnceAndPasses) {
  int n = 0;
  KELDA_CHECK(++n == 1);
  EXPECT_EQ(n, 1);
}

TEST(CheckDeathTest, FalseConditionEndsTheProcessAndNamesThePlace) {
  EXPECT_DEATH(KELDA_CHECK(1 + 1 == 3), "internal check failed: 1 \\+ 1 == 3 .*check_test.cpp:");
}

}  // namespace
}  // namespace kelda
