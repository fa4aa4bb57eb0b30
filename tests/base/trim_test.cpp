#include "base/trim.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(Trimmed, TakesTheBlanksAwayThatAreAround) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\na ", " "), "\na");
}

}  // namespace
}  // namespace kelda
