#include "calc/exact.h"

#include <gtest/gtest.h>

namespace kelda::calc {
namespace {

TEST(Exact, NamesWhatIsTooLarge) {
  constexpr uint64_t kMost = ~uint64_t{0};
  EXPECT_EQ(product("x", {3, 5, 7}), 105u);
  EXPECT_EQ(times("x", kMost, 1), kMost);
  EXPECT_EQ(plus("x", kMost - 1, 1), kMost);
  for (const auto& too_much :
       {+[] {
          product("the room", {INT64_MAX, 3});
        },
        +[] { times("the room", ~uint64_t{0}, 2); }, +[] { plus("the room", ~uint64_t{0}, 1); }}) {
    try {
      too_much();
      FAIL();
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "the room: more than 64 bits can count");
    }
  }
}

}  // namespace
}  // namespace kelda::calc
