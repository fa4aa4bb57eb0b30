#include "engine/prefix_cache.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kelda {
namespace {

std::vector<TokenId> counting(int64_t n) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(n));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

class PrefixCacheTest : public ::testing::Test {
 protected:
  Sequence sequence(int64_t n, KvCache& cache) {
    Sequence s(cache);
    s.reserve(n);
    s.advance(n);
    return s;
  }
  KvCache full_{KvShape{KvType::kF16, 1, 16, {0}}, 64 * 100};
};

TEST_F(PrefixCacheTest, FindsTheLongestBeginningButNeverTheWholePrompt) {
  PrefixCache prefixes(4);
  EXPECT_FALSE(prefixes.find(counting(10)));
  prefixes.keep(counting(100), sequence(100, full_));
  std::vector<TokenId> other = counting(200);
  other[50] = 999;
  prefixes.keep(other, sequence(200, full_));

  EXPECT_EQ(prefixes.find(counting(300))->length(), 100);
  EXPECT_EQ(prefixes.find(counting(100))->length(), 99);
  EXPECT_EQ(prefixes.find(counting(1)), std::nullopt);
  EXPECT_EQ(prefixes.find(other)->length(), 199);
  EXPECT_FALSE(prefixes.find(std::vector<TokenId>{7, 8, 9}));
}

TEST_F(PrefixCacheTest, WhatItHoldsIsFreedWithIt) {
  {
    PrefixCache prefixes(2);
    for (TokenId first = 0; first < 5; ++first) {
      std::vector<TokenId> tokens = counting(130);
      tokens[0] = 1000 + first;
      prefixes.keep(tokens, sequence(130, full_));
    }
    EXPECT_EQ(full_.pool(0).n_blocks() - full_.pool(0).n_free(), 2 * 3) << "two sequences of three blocks";
    EXPECT_TRUE(prefixes.drop_oldest());
    EXPECT_EQ(full_.pool(0).n_blocks() - full_.pool(0).n_free(), 3);
    EXPECT_TRUE(prefixes.drop_oldest());
    EXPECT_FALSE(prefixes.drop_oldest());
  }
  EXPECT_EQ(full_.bytes_used(), 0u);
}

TEST_F(PrefixCacheTest, ALongerSequenceReplacesItsOwnBeginning) {
  PrefixCache prefixes(4);
  prefixes.keep(counting(64), sequence(64, full_));
  prefixes.keep(counting(128), sequence(128, full_));
  EXPECT_EQ(full_.pool(0).n_blocks() - full_.pool(0).n_free(), 2);
}

TEST_F(PrefixCacheTest, NoneAreKeptWhereNoneAreWanted) {
  PrefixCache prefixes(0);
  prefixes.keep(counting(64), sequence(64, full_));
  EXPECT_EQ(full_.bytes_used(), 0u);
}

// Past the window its blocks are gone: what cannot be gone back to is not found.
TEST_F(PrefixCacheTest, AWindowLimitsHowFarBackItReaches) {
  KvCache windowed(KvShape{KvType::kF16, 1, 16, {128, 0}}, 64 * 100);
  PrefixCache prefixes(4);
  prefixes.keep(counting(1000), sequence(1000, windowed));
  EXPECT_EQ(prefixes.find(counting(1200))->length(), 1000);
  std::vector<TokenId> near = counting(1200), far = counting(1200);
  near[990] = far[300] = 5000;
  ASSERT_TRUE(prefixes.find(near));
  EXPECT_EQ(prefixes.find(near)->length(), 990);
  EXPECT_FALSE(prefixes.find(far));
  PrefixLookup lookup;
  EXPECT_FALSE(prefixes.find(far, &lookup));
  EXPECT_EQ(lookup.outcome, PrefixLookup::Outcome::kGone);
  EXPECT_EQ(lookup.n_alike, 300);
  EXPECT_NE(why(lookup).find("300 tokens"), std::string::npos) << why(lookup);
}

TEST_F(PrefixCacheTest, WhyNothingOrSomethingWasFoundIsTold) {
  using Outcome = PrefixLookup::Outcome;
  const auto look = [](PrefixCache& prefixes, std::span<const TokenId> prompt) {
    PrefixLookup lookup{Outcome::kNotWanted, -1};
    (void)prefixes.find(prompt, &lookup);
    EXPECT_FALSE(why(lookup).empty());
    return lookup;
  };
  PrefixCache none(0), prefixes(2);
  EXPECT_EQ(look(none, counting(10)).outcome, Outcome::kOff);
  EXPECT_EQ(look(prefixes, counting(10)).outcome, Outcome::kEmpty);
  prefixes.keep(counting(64), sequence(64, full_));
  EXPECT_EQ(look(prefixes, counting(1)).outcome, Outcome::kOneToken);
  EXPECT_EQ(look(prefixes, std::vector<TokenId>{7, 8, 9}).outcome, Outcome::kNoneAlike);
  const PrefixLookup hit = look(prefixes, counting(70));
  EXPECT_EQ(hit.outcome, Outcome::kHit);
  EXPECT_EQ(hit.n_alike, 64);
  EXPECT_EQ(why(hit), "the first 64 tokens had been read for another request");
  EXPECT_EQ(name(Outcome::kHit), "hit");
  EXPECT_EQ(name(Outcome::kOff), "off");
  EXPECT_EQ(name(Outcome::kGone), "miss");
}

}  // namespace
}  // namespace kelda
