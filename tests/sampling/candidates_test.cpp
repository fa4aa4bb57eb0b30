#include "sampling/candidates.h"

#include <gtest/gtest.h>

#include <limits>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMax = std::numeric_limits<float>::max();

std::vector<TokenId> ids(const Candidates& candidates) {
  std::vector<TokenId> out;
  for (const Candidate& c : candidates.all()) out.push_back(c.id);
  return out;
}

TEST(Candidates, HoldWhatCanBeDrawnInOrderOfId) {
  Candidates candidates;
  candidates.assign(std::vector<float>{1, -kInf, kNan, kInf, -kMax, 2});
  EXPECT_EQ(ids(candidates), (std::vector<TokenId>{0, 3, 4, 5}));
  EXPECT_EQ(candidates.all()[1].logit, kMax);
  EXPECT_EQ(candidates.vocab_size(), 6u);
  candidates.assign(std::vector<float>{-kInf, kNan});
  EXPECT_EQ(candidates.size(), 0u);
  candidates.assign({});
  EXPECT_EQ(candidates.size(), 0u);
}

TEST(Candidates, AreFoundByIdHoweverManyAreGone) {
  Candidates candidates;
  candidates.assign(std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(candidates.find(4)->logit, 5);
  candidates.drop_if([](const Candidate& c) { return c.id % 2 == 0; });
  EXPECT_EQ(candidates.find(5)->logit, 6);
  EXPECT_EQ(candidates.find(1)->logit, 2);
  for (const TokenId gone : {0, 2, 4, 6, -1, 1000000}) EXPECT_EQ(candidates.find(gone), nullptr) << gone;
}

TEST(Candidates, BannedOnesGoAllAtOnceAndTheOthersStayInOrder) {
  Candidates candidates;
  candidates.assign(std::vector<float>{1, 2, 3, 4, 5, 6});
  candidates.drop_banned();
  EXPECT_EQ(candidates.size(), 6u);
  for (const TokenId id : {4, 0, 4, -1, 77}) candidates.ban(id);
  candidates.drop_banned();
  EXPECT_EQ(ids(candidates), (std::vector<TokenId>{1, 2, 3, 5}));
  for (TokenId id = 0; id < 6; ++id) candidates.ban(id);
  candidates.drop_banned();
  EXPECT_EQ(candidates.size(), 0u);
}

TEST(Candidates, BestAndNthBestBreakTiesByTheLowestId) {
  Candidates candidates;
  candidates.assign(std::vector<float>{1, 7, 3, 7, 3, 7});
  EXPECT_EQ(candidates.best().id, 1);
  const TokenId expected[] = {1, 3, 5, 2, 4, 0};
  for (std::size_t n = 1; n <= 6; ++n) EXPECT_EQ(candidates.nth_best(n).id, expected[n - 1]) << n;
  candidates.keep_down_to(candidates.nth_best(4));
  EXPECT_EQ(ids(candidates), (std::vector<TokenId>{1, 2, 3, 5}));
}

void select_best(std::span<const Candidate> all, std::size_t n, bool sorted, std::vector<Candidate>& out) {
  BestOf best_of(n, all.size(), out);
  for (const Candidate& c : all) best_of.offer(c);
  best_of.finish(sorted);
}

TEST(BestOf, EqualsAFullSortForEverySize) {
  for (const std::size_t size : {1u, 2u, 63u, 64u, 65u, 1000u}) {
    for (const double span : {0.0, 1e-6, 20.0}) {  // 0: all are equal
      Candidates candidates;
      candidates.assign(some_logits(size, span));
      std::vector<Candidate> sorted(candidates.all().begin(), candidates.all().end());
      std::sort(sorted.begin(), sorted.end(), better);
      std::vector<Candidate> best;
      for (std::size_t n = 1; n <= size; n += 1 + n / 3) {
        select_best(candidates.all(), n, true, best);
        ASSERT_EQ(best.size(), n);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(best[i].id, sorted[i].id) << size << ' ' << n << ' ' << i;
        select_best(candidates.all(), n, false, best);
        ASSERT_EQ(best[n - 1].id, sorted[n - 1].id);
      }
    }
  }
}

TEST(Candidates, KeepBestLeavesAsManyOrAll) {
  const std::vector<float> logits = {1, 5, 3, 5, 2};
  const std::vector<std::vector<TokenId>> expected = {{1}, {1, 3}, {1, 2, 3}, {1, 2, 3, 4}, {0, 1, 2, 3, 4}};
  for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 6u, 1000000000u}) {
    Candidates candidates;
    candidates.assign(logits);
    candidates.keep_best(n);
    std::vector<TokenId> ids;
    for (const Candidate& c : candidates.all()) ids.push_back(c.id);
    EXPECT_EQ(ids, expected[std::min<std::size_t>(n, 5) - 1]) << n;
  }
}

TEST(BestOf, RisingAndFallingLogits) {
  std::vector<Candidate> rising, falling, best;
  for (TokenId i = 0; i < 5000; ++i) {
    rising.push_back({i, static_cast<float>(i)});
    falling.push_back({i, static_cast<float>(-i)});
  }
  for (const std::size_t n : {1u, 40u, 2500u, 5000u}) {
    select_best(rising, n, true, best);
    EXPECT_EQ(best.front().id, 4999);
    EXPECT_EQ(best.back().id, 5000 - static_cast<TokenId>(n));
    select_best(falling, n, true, best);
    EXPECT_EQ(best.front().id, 0);
    EXPECT_EQ(best.back().id, static_cast<TokenId>(n) - 1);
  }
}

TEST(BestOf, TakesWhatThereIs) {
  std::vector<Candidate> best;
  BestOf best_of(100, 1000, best);
  best_of.offer({4, 1.0f});
  best_of.offer({7, 2.0f});
  best_of.finish(true);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].id, 7);
}

TEST(FiniteLogit, StaysInTheRangeOfAFloat) {
  EXPECT_EQ(finite_logit(1e300), kMax);
  EXPECT_EQ(finite_logit(-1e300), -kMax);
  EXPECT_EQ(finite_logit(-std::numeric_limits<double>::infinity()), -kMax);
  EXPECT_EQ(finite_logit(0.5), 0.5f);
}

}  // namespace
}  // namespace kelda::sampling
