#include "text/normalizer.h"

#include <gtest/gtest.h>

namespace kelda::text {
namespace {

std::string apply(std::vector<NormalizerStep> steps, std::string_view text) {
  std::string out;
  return std::string(Normalizer(std::move(steps)).apply(text, out));
}

constexpr BertRules kBert{
    .clean_text = true, .chinese_chars = true, .strip_accents = true, .lowercase = true};

TEST(Normalizer, WithoutStepsGivesTheTextItself) {
  const std::string text = "abc";
  std::string out;
  EXPECT_EQ(Normalizer().apply(text, out).data(), text.data());
}

TEST(Normalizer, StepsFollowEachOther) {
  EXPECT_EQ(apply({Prepend{"_"}, ReplaceText{" ", "_"}}, "a b"), "_a_b");
  EXPECT_EQ(apply({Prepend{"_"}}, ""), "");
  EXPECT_EQ(apply({ReplaceText{"aa", "b"}}, "aaaaa"), "bba");
  EXPECT_EQ(apply({ReplaceMatches{std::make_shared<const Regex>(R"(\s+)"), " "}}, " a\t\n b "), " a b ");
  EXPECT_EQ(apply({ReplaceMatches{std::make_shared<const Regex>("$"), "!"}}, "ab"), "ab!");
}

TEST(Normalizer, LowerCaseIsOfOneCharacterAtATime) {
  EXPECT_EQ(apply({Lowercase{}}, "ÀÉΣ ДЖ ǅ ẞ K"), "àéσ дж ǆ ß k");
  EXPECT_EQ(apply({Lowercase{}}, "\u0130"), "i\u0307");
}

TEST(Normalizer, StripsAndSqueezesBlanks) {
  EXPECT_EQ(apply({StripBlanks{true, true}}, " \u3000a b\n"), "a b");
  EXPECT_EQ(apply({StripBlanks{true, false}}, " a "), "a ");
  EXPECT_EQ(apply({StripBlanks{false, true}}, " a "), " a");
  EXPECT_EQ(apply({StripBlanks{true, true}}, "  "), "");
  EXPECT_EQ(apply({SqueezeBlanks{}}, "  a   b\t c  "), "a b\t c");
}

// BR-055: accents go, letters stay; Chinese characters stand alone; control characters go.
TEST(Normalizer, BertRules) {
  EXPECT_EQ(apply({kBert}, "lǜshi Kantō Honshō Hyūga"), "lushi kanto honsho hyuga");
  EXPECT_EQ(apply({kBert}, "你好x"), " 你  好 x");
  EXPECT_EQ(apply({kBert}, "a\u200bb\x01\tc\u3000d\ufffd"), "ab c d");
  EXPECT_EQ(apply({kBert}, "x=\u0338y e\u0301"), "x=y e");
  BertRules cased = kBert;
  cased.lowercase = cased.strip_accents = false;
  EXPECT_EQ(apply({cased}, "ÉA"), "ÉA");
}

TEST(Normalizer, AccentsAloneAreDropped) {
  EXPECT_EQ(apply({NormalForm::kNfd, StripAccents{}}, "éà\u0e31"), "ea");
}

TEST(Normalizer, BytesMayBeWrittenAsCharacters) { EXPECT_EQ(apply({ToByteAlphabet{}}, " é"), "ĠÃ©"); }

}  // namespace
}  // namespace kelda::text
