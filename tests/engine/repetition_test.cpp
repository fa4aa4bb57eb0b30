#include "engine/repetition.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kelda {
namespace {

using Tokens = std::vector<TokenId>;

Tokens counting(int64_t n, TokenId first = 1000) {
  Tokens tokens(static_cast<std::size_t>(n));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens operator+(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Tokens times(const Tokens& block, int64_t n) {
  Tokens out;
  for (int64_t i = 0; i < n; ++i) out = std::move(out) + block;
  return out;
}

TEST(Repetition, ABlockAgainAndAgainAtTheEndIsALoop) {
  for (const int64_t period : {1, 2, 3, 7, 16, 17, 100, 256}) {
    const int64_t n = std::max<int64_t>(8, (128 + period - 1) / period);
    const auto loop = find_loop(counting(50) + times(counting(period, 5), n));
    ASSERT_TRUE(loop) << period;
    EXPECT_EQ(loop->period, period);
    EXPECT_EQ(loop->n_tokens, period * n);
  }
}

TEST(Repetition, TheLastRoundMayBeCutAnywhere) {
  const Tokens block = counting(10, 5);
  for (std::size_t cut = 0; cut < 10; ++cut) {
    const auto loop = find_loop(counting(50) + times(block, 13) +
                                Tokens(block.begin(), block.begin() + static_cast<long>(cut)));
    ASSERT_TRUE(loop) << cut;
    EXPECT_EQ(loop->period, 10);
    EXPECT_EQ(loop->n_tokens, 130 + static_cast<int64_t>(cut));
  }
}

TEST(Repetition, OneTimeOrOneTokenLessIsNone) {
  EXPECT_TRUE(find_loop(counting(9) + Tokens(128, 5)));
  EXPECT_FALSE(find_loop(counting(9) + Tokens(127, 5)));
  EXPECT_TRUE(find_loop(counting(9) + times(counting(32, 5), 8)));
  EXPECT_FALSE(find_loop(counting(9) + times(counting(32, 5), 7) + counting(31, 6)));
  EXPECT_FALSE(find_loop(times(counting(257, 5), 20))) << "longer blocks are not looked for";
  EXPECT_FALSE(find_loop({}));
}

TEST(Repetition, WhatChangesFromLineToLineIsNone) {
  Tokens list, table, code;
  for (TokenId i = 0; i < 200; ++i) {
    list = std::move(list) + Tokens{10, i, 11, 12, 13};               // "- item 7 is here"
    table = std::move(table) + Tokens{20, i * 7, 20, i % 3, 20, 21};  // "| 49 | 1 |"
    code = std::move(code) + Tokens{30, 31, 32, i, 33, 34, i, 35};    // "array[7] = f(7);"
  }
  EXPECT_FALSE(find_loop(list));
  EXPECT_FALSE(find_loop(table));
  EXPECT_FALSE(find_loop(code));
}

TEST(Repetition, ALoopThatWasLeftIsNone) {
  EXPECT_FALSE(find_loop(times(counting(4, 5), 100) + Tokens{77}));
  EXPECT_FALSE(find_loop(times(counting(4, 5), 100) + counting(50)));
}

TEST(Repetition, ARuleUnderATableAndARowOfZerosAreNone) {
  EXPECT_FALSE(find_loop(counting(40) + times(Tokens{5, 6}, 30)));    // "|---|---|…" of thirty columns
  EXPECT_FALSE(find_loop(counting(40) + times(Tokens{48, 44}, 60)));  // "0, 0, 0, …" of sixty numbers
}

TEST(Repetition, TheNoticeTellsWhatWasSeenAndWhatMayHelp) {
  const std::string notice = loop_notice({12, 360});
  for (const char* part : {"loop", "360", "12 tokens", "repetition_penalty"})
    EXPECT_NE(notice.find(part), std::string::npos) << notice;
  EXPECT_NE(loop_notice({1, 200}).find("one token"), std::string::npos);
}

}  // namespace
}  // namespace kelda
