#include "calc/passes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::calc {
namespace {

TEST(Passes, AThousandTokensFromAPromptOfOne) {
  EXPECT_EQ(naive_passes(1, 1000).token_passes, 500'500u);
  EXPECT_EQ(cached_passes(1, 1000).token_passes, 1000u);
}

TEST(Passes, FiftyTokensAreFiftyPasses) {
  EXPECT_EQ(cached_passes(7, 50).passes, 50u) << "one prefill and 49 decode steps";
  EXPECT_EQ(cached_passes(7, 50).token_passes, 56u);
  EXPECT_EQ(naive_passes(7, 50).passes, 50u);
}

TEST(Passes, NaiveIsTheSumOfTheLengths) {
  for (const int64_t prompt : {1, 5, 33}) {
    uint64_t sum = 0;
    for (int64_t n = 1; n <= 40; ++n) {
      sum += static_cast<uint64_t>(prompt + n - 1);
      EXPECT_EQ(naive_passes(prompt, n).token_passes, sum);
    }
  }
  EXPECT_EQ(naive_passes(3, 0).token_passes, 0u);
  EXPECT_EQ(cached_passes(3, 0).token_passes, 0u);
}

TEST(Scores, GrowWithTheSquare) {
  EXPECT_EQ(score_matrix(1000), 1'000'000u);
  EXPECT_EQ(score_matrix(8000), 64'000'000u);
  EXPECT_EQ(causal_scores(4), 10u);
  EXPECT_EQ(causal_scores(5), 15u);
}

TEST(Passes, RefuseWhat64BitsCannotCount) {
  EXPECT_THROW(naive_passes(INT64_MAX, 3), Error);
  EXPECT_THROW(naive_passes(1, int64_t{1} << 40), Error);
  EXPECT_THROW(score_matrix(int64_t{1} << 33), Error);
  EXPECT_EQ(causal_scores(int64_t{1} << 32), (uint64_t{1} << 31) * ((uint64_t{1} << 32) + 1));
}

}  // namespace
}  // namespace kelda::calc
