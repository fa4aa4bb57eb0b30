#include "sampling/repeats.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace kelda::sampling {
namespace {

std::vector<std::size_t> lengths(const Repeats& repeats) {
  std::vector<std::size_t> out;
  for (std::size_t k = 1; k < repeats.size(); ++k) out.push_back(repeats.repeated_before(k));
  return out;
}

TEST(Repeats, CountWhatStandsBeforeEachPlace) {
  const std::vector<TokenId> text = {1, 2, 3, 9, 2, 3, 4, 1, 2, 3};
  Repeats repeats;
  repeats.assign({text, {}});
  EXPECT_EQ(repeats.back(0), 3);
  EXPECT_EQ(repeats.back(9), 1);
  EXPECT_EQ(lengths(repeats), (std::vector<std::size_t>{0, 0, 0, 2, 0, 0, 3, 0, 0}));
}

TEST(Repeats, MayOverlapThemselves) {
  const std::vector<TokenId> text(5, 7);
  Repeats repeats;
  repeats.assign({{}, text});
  EXPECT_EQ(lengths(repeats), (std::vector<std::size_t>{4, 3, 2, 1}));
}

TEST(Repeats, WindowAndPromptSayWhatIsLookedAt) {
  const std::vector<TokenId> prompt = {1, 2, 3}, generated = {4, 5};
  Repeats repeats;
  const auto size = [&](int64_t window, bool without_prompt) {
    const History all{prompt, generated};
    repeats.assign((without_prompt ? all.output() : all).last(window));
    return repeats.size();
  };
  EXPECT_EQ(size(-1, false), 5u);
  EXPECT_EQ(size(4, false), 4u);
  EXPECT_EQ(repeats.back(3), 2);
  EXPECT_EQ(size(1, false), 1u);
  EXPECT_EQ(size(0, false), 0u);
  EXPECT_EQ(size(100, false), 5u);
  EXPECT_EQ(size(-1, true), 2u);
  repeats.assign({});
  EXPECT_EQ(repeats.size(), 0u);
}

TEST(Repeats, EqualTheDefinition) {
  Repeats repeats;
  for (uint32_t round = 0; round < 300; ++round) {
    std::vector<TokenId> text(1 + round % 60);
    for (std::size_t i = 0; i < text.size(); ++i)
      text[i] = static_cast<TokenId>(uniform({round, 0, static_cast<uint32_t>(i)}, 0) * (1 + round % 4));
    const std::span<const TokenId> all(text);
    repeats.assign({all.first(text.size() / 2), all.subspan(text.size() / 2)});
    std::reverse(text.begin(), text.end());
    for (std::size_t k = 1; k < text.size(); ++k) {
      std::size_t length = 0;
      while (k + length < text.size() && text[length] == text[k + length]) ++length;
      ASSERT_EQ(repeats.repeated_before(k), length) << round << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace kelda::sampling
