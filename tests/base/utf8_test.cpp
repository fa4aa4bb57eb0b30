#include "base/utf8.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

using Kind = Utf8Sequence::Kind;

TEST(Utf8, EveryCodePointGoesThereAndBack) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    std::string text;
    append_utf8(c, text);
    const Utf8Sequence s = next_utf8(text);
    if (c >= 0xD800 && c < 0xE000) {
      ASSERT_EQ(s.kind, Kind::kIllFormed) << c;
      continue;
    }
    ASSERT_EQ(s.kind, Kind::kCharacter) << c;
    ASSERT_EQ(s.length, text.size()) << c;
    ASSERT_EQ(s.code_point, c);
    ASSERT_FALSE(first_invalid_utf8(text)) << c;
    for (std::size_t n = 1; n < text.size(); ++n)
      ASSERT_EQ(next_utf8(text.substr(0, n)).kind, Kind::kUnfinished) << c;
  }
}

TEST(Utf8, EveryPairOfBytesIsWellFormedExactlyWhereTheStandardSays) {
  int characters = 0, unfinished = 0;
  for (int a = 0x80; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      const Utf8Sequence s = next_utf8(text);
      characters += s.kind == Kind::kCharacter;
      unfinished += s.kind == Kind::kUnfinished;
      ASSERT_EQ(s.length, s.kind == Kind::kIllFormed ? 1u : 2u);
    }
  EXPECT_EQ(characters, 30 * 64);  // C2..DF
  EXPECT_EQ(unfinished,
            32 + 12 * 64 + 32 + 2 * 64 + 48 + 3 * 64 + 16);  // E0, E1..EC, ED, EE..EF, F0, F1..F3, F4
}

TEST(Utf8, MaximalPartsHaveTheirLength) {
  const auto length = [](std::string_view bytes) {
    const Utf8Sequence s = next_utf8(bytes);
    EXPECT_EQ(s.kind, Kind::kIllFormed);
    return s.length;
  };
  EXPECT_EQ(length("\xF0\x9F\x98 "), 3u);
  EXPECT_EQ(length("\xE2\x82\xE2"), 2u);
  EXPECT_EQ(length("\xC0\x80"), 1u);
  EXPECT_EQ(length("\xE0\x80\x80"), 1u);
  EXPECT_EQ(length("\xF4\x90\x80\x80"), 1u);
  EXPECT_EQ(length("\xED\xA0\x80"), 1u);
  EXPECT_EQ(length("\xFF"), 1u);
}

TEST(Utf8, TheFirstInvalidByteIsFoundAtAnyOffset) {
  for (std::size_t n = 0; n < 40; ++n) {
    const std::string good = std::string(n, 'x') + "\xC3\xA9";
    EXPECT_FALSE(first_invalid_utf8(good));
    EXPECT_EQ(first_invalid_utf8(good + "\x80tail, long enough to be read in eights"), n + 2);
    EXPECT_EQ(first_invalid_utf8(good.substr(0, n + 1)), n);  // ends within a character
  }
  EXPECT_FALSE(first_invalid_utf8(""));
}

TEST(IsUtf8, AcceptsEveryLengthAndTheBordersOfEach) {
  for (const char* text :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "naïve 日本 🙂"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(IsUtf8, RefusesOverlongFormsSurrogatesAndCutSequences) {
  for (const char* text : {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF",
                           "\xE0\xA0", "\xED\xA0\x80", "\xED\xBF\xBF", "\xEF\xBF\x7F", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "ok\xFE"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

}  // namespace
}  // namespace kelda
