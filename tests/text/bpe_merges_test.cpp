#include "text/bpe_merges.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

// The algorithm as the paper states it: look at all pairs, join the leftmost of the lowest rank, begin again.
std::vector<TokenId> by_the_paper(const Vocabulary& v, std::vector<TokenId> s) {
  for (;;) {
    std::size_t best_rank = v.merges().size(), best_at = 0;
    for (std::size_t i = 0; i + 1 < s.size(); ++i)
      for (std::size_t r = 0; r < best_rank; ++r)
        if (v.merges()[r].left == s[i] && v.merges()[r].right == s[i + 1]) {
          best_rank = r;
          best_at = i;
        }
    if (best_rank == v.merges().size()) return s;
    s[best_at] = v.merges()[best_rank].result;
    s.erase(s.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

std::vector<TokenId> letters(const Vocabulary& v, std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) ids.push_back(v.find(std::string(1, c)));
  return ids;
}

TEST(BpeMerges, JoinsByRankAndThenFromTheLeft) {
  const auto v = testing::TinyVocabulary{.merges = {"b c", "a b", "a a"}}.make();
  const BpeMerges merges(v->merges());
  BpeMerges::Scratch scratch;
  auto s = letters(*v, "abcabaaa");
  merges.apply(s, scratch);
  EXPECT_EQ(testing::pieces_of(*v, s), (std::vector<std::string>{"a", "bc", "ab", "aa", "a"}));
}

TEST(BpeMerges, EqualsThePaperOnRandomListsAndWords) {
  std::mt19937 rng(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> pieces = {"a", "b", "c"}, list;
    while (list.size() < 12) {
      const std::string left = pieces[rng() % pieces.size()], right = pieces[rng() % pieces.size()];
      const std::string merge = left + " " + right;
      if (left.size() + right.size() > 7 || std::find(list.begin(), list.end(), merge) != list.end())
        continue;
      list.push_back(merge);
      if (std::find(pieces.begin(), pieces.end(), left + right) == pieces.end())
        pieces.push_back(left + right);
    }
    const auto v = testing::TinyVocabulary{.merges = list}.make();
    const BpeMerges merges(v->merges());
    BpeMerges::Scratch scratch;
    for (int word = 0; word < 100; ++word) {
      std::string text;
      for (std::size_t n = rng() % 30; n > 0; --n) text.push_back("abc"[rng() % 3]);
      auto s = letters(*v, text);
      const auto want = by_the_paper(*v, s);
      merges.apply(s, scratch);
      ASSERT_EQ(s, want) << text;
    }
  }
}

}  // namespace
}  // namespace kelda::text
