#include "measure/text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/tiny_runner.h"

namespace kelda::measure {
namespace {

TEST(SomeTokens, AreTheSameEachTimeAndInTheVocabulary) {
  const auto ids = some_tokens(1000, 300, 1);
  EXPECT_EQ(ids, some_tokens(1000, 300, 1));
  EXPECT_NE(ids, some_tokens(1000, 300, 2));
  EXPECT_GE(*std::min_element(ids.begin(), ids.end()), 0);
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()), 300);
}

TEST(Read, GivesTheLastTokensLogitsInAnyChunks) {
  testing::TinyRunner tiny;
  const auto ids = some_tokens(100, tiny.runner->model().config().vocab_size, 1);
  const auto logits_of = [&](int64_t chunk) {
    Sequence sequence(tiny.runner->cache());
    const auto logits = read(*tiny.runner, sequence, ids, chunk);
    EXPECT_EQ(sequence.length(), 100);
    return std::vector<float>(logits.begin(), logits.end());
  };
  EXPECT_EQ(logits_of(7), logits_of(100));
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

}  // namespace
}  // namespace kelda::measure
