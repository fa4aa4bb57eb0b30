#include "context/cut.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "base/utf8.h"

namespace kelda::context {
namespace {

// With room for that many bytes.
std::string cut_to(const std::string& text, Keep keep, std::size_t room) {
  const auto c = cut(text, keep, [&](std::string_view part) { return part.size() <= room; });
  return c ? text.substr(c->begin, c->end - c->begin) : "nothing";
}

TEST(Cut, KeepsTheEndOrTheStart) {
  const std::string text = "aaaa\n\nbbbb\n\ncccc\n\ndddd";
  EXPECT_EQ(cut_to(text, Keep::kEnd, text.size()), text);
  EXPECT_EQ(cut_to(text, Keep::kStart, text.size()), text);
  EXPECT_EQ(cut_to(std::string(5000, 'x'), Keep::kEnd, 5000).size(), 5000u);
  EXPECT_EQ(cut_to(std::string(5000, 'x'), Keep::kEnd, 4999).size(), 4999u);
  EXPECT_EQ(cut_to(text, Keep::kEnd, 10), "cccc\n\ndddd");
  EXPECT_EQ(cut_to(text, Keep::kStart, 10), "aaaa\n\nbbbb");
  EXPECT_EQ(cut_to("a paragraph\n\nand the last one", Keep::kEnd, 27), "and the last one") << "one byte over";
  EXPECT_EQ(cut_to(text, Keep::kEnd, 9), "ccc\n\ndddd") << "a paragraph alone would be less than half of it";
  EXPECT_EQ(cut_to(text, Keep::kStart, 15), "aaaa\n\nbbbb");
  EXPECT_EQ(cut_to(text, Keep::kStart, 16), "aaaa\n\nbbbb\n\ncccc");
}

TEST(Cut, GoesToAFinerPlaceWhereACoarseOneWouldLeaveLessThanHalf) {
  const std::string text = "One long line of words. And another one\nthe last";
  EXPECT_EQ(cut_to(text, Keep::kEnd, 12), "the last") << "8 of 12 bytes are more than half";
  EXPECT_EQ(cut_to(text, Keep::kEnd, 20), "another one\nthe last") << "a line would leave 8 of 20";
  EXPECT_EQ(cut_to(text, Keep::kEnd, 26), "And another one\nthe last") << "a sentence";
  EXPECT_EQ(cut_to(text, Keep::kStart, 12), "One long");
  EXPECT_EQ(cut_to("abcdefgh", Keep::kStart, 3), "abc") << "there are no words";
  EXPECT_EQ(cut_to("abcdefgh", Keep::kEnd, 3), "fgh");
}

TEST(Cut, NeverHalfACharacter) {
  EXPECT_EQ(cut_to("🦙🦙🦙", Keep::kStart, 7), "🦙");
  EXPECT_EQ(cut_to("🦙🦙🦙", Keep::kEnd, 7), "🦙");
  EXPECT_EQ(cut_to("🦙🦙", Keep::kEnd, 3), "nothing");
  EXPECT_EQ(cut_to("🦙🦙", Keep::kStart, 3), "nothing");
  EXPECT_EQ(cut_to("ab", Keep::kStart, 0), "nothing");
}

TEST(Cut, WhatIsReturnedFitsAndIsAtLeastHalfOfWhatWould) {
  for (uint32_t n = 0; n < 400; ++n) {
    const auto pick = [&](uint32_t of, uint32_t draw) {
      return static_cast<uint32_t>(uniform({5, 0, n}, draw) * of);
    };
    std::string text;
    const uint32_t length = 2 + pick(1500, 0);
    for (uint32_t i = 0; text.size() < length; ++i) {
      constexpr std::string_view kPieces[] = {"a", "bc", " ", " ", "\n", "\n\n", ". ", "é", "🦙", "。"};
      text += kPieces[pick(10, 3 + i)];
    }
    const std::size_t room = 4 + pick(static_cast<uint32_t>(text.size()), 1);
    if (room >= text.size()) continue;
    const Keep keep = pick(2, 2) == 0 ? Keep::kEnd : Keep::kStart;
    int n_asked = 0;
    const auto c = cut(text, keep, [&](std::string_view part) {
      ++n_asked;
      EXPECT_FALSE(part.empty());
      return part.size() <= room;
    });
    ASSERT_TRUE(c);
    const std::string kept = text.substr(c->begin, c->end - c->begin);
    EXPECT_TRUE(is_utf8(kept));
    EXPECT_LE(kept.size(), room);
    EXPECT_GE(2 * kept.size(), room - 3) << "a character has at most four bytes";
    EXPECT_EQ(keep == Keep::kEnd ? c->end : c->begin, keep == Keep::kEnd ? text.size() : 0u);
    EXPECT_LE(n_asked, 30);
  }
}

}  // namespace
}  // namespace kelda::context
