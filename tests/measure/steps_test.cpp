#include "measure/steps.h"

#include <gtest/gtest.h>

#include "measure/tiny_runner.h"

namespace kelda::measure {
namespace {

TEST(StepsAtDepth, BeginsEachPassAtTheSameDepth) {
  testing::TinyRunner tiny;
  StepsAtDepth steps(*tiny.runner, 100, {});
  EXPECT_EQ(tiny.runner->n_token_passes(), 99);
  for (int i = 0; i < 60; ++i) {  // would overrun the window of 256 if the depth grew
    const auto seconds = steps.pass(3);
    ASSERT_EQ(seconds.size(), 3u);
    for (const double s : seconds) EXPECT_GT(s, 0);
  }
  EXPECT_EQ(tiny.runner->n_token_passes(), 99 + 60 * 4);
}

TEST(StepsAtDepth, WorksWithSlidingWindows) {
  testing::TinyRunner tiny("gemma3");
  StepsAtDepth steps(*tiny.runner, 256 - kStepRoom, {});
  EXPECT_EQ(steps.pass(4).size(), 4u);
  EXPECT_EQ(steps.pass(4).size(), 4u);
}

TEST(SecondsToRead, ReadsThatManyTokens) {
  testing::TinyRunner tiny;
  int64_t last = 0;
  EXPECT_GT(seconds_to_read(*tiny.runner, 150, [&](int64_t done, int64_t) { last = done; }), 0);
  EXPECT_EQ(last, 150);
  EXPECT_EQ(tiny.runner->n_token_passes(), 150);
}

TEST(SecondsToRead, ScratchDoesNotGrowWithTheSquareOfTheText) {
  testing::TinyRunner tiny;
  seconds_to_read(*tiny.runner, 64, {});
  const uint64_t before = tiny.runner->scratch_bytes();
  seconds_to_read(*tiny.runner, 256, {});
  EXPECT_LE(tiny.runner->scratch_bytes(), 6 * before) << "four times the tokens, sixteen times the scores";
}

}  // namespace
}  // namespace kelda::measure
