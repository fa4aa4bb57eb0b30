#include "jinja/unicode.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(UnicodeOfTemplates, CountsCharactersAndIllFormedBytes) {
  EXPECT_EQ(count_chars("aé東😀"), 4u);
  EXPECT_EQ(count_chars("a\xFF\xC3"), 3u);
  EXPECT_EQ(char_offset("aé東😀", 2), 3u);
  EXPECT_EQ(char_offset("ab", 9), 2u);
  EXPECT_EQ(previous_char("aé", 3), 1u);
  EXPECT_EQ(previous_char("a\xFF", 2), 1u);
  EXPECT_EQ(previous_char("😀", 4), 0u);
}

TEST(UnicodeOfTemplates, HashesDependOnTheBytes) {
  EXPECT_EQ(hash_bytes("abcdefghij"), hash_bytes("abcdefghij"));
  EXPECT_NE(hash_bytes("abcdefghij"), hash_bytes("abcdefghik"));
  EXPECT_NE(hash_bytes(""), hash_bytes(std::string_view("\0", 1)));
}

TEST(UnicodeOfTemplates, NumbersBeyondTheRange) {
  EXPECT_EQ(parse_double("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_double("-1e999"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_double("1e-999"), 0.0);
}

}  // namespace
}  // namespace kelda::jinja
