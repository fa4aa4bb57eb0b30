#include "text/unicode_normal.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kelda::text {
namespace {

std::string form(std::string_view text, NormalForm f) {
  std::string out;
  append_normal_form(text, f, out);
  return out;
}
std::string nfc(std::string_view text) { return form(text, NormalForm::kNfc); }

// BR-052
TEST(UnicodeNormal, ComposesWhatBelongsTogether) {
  EXPECT_EQ(nfc("e\u0301"), "é");
  EXPECT_EQ(nfc("xe\u0301y a\u0323\u0307"), "xéy \u1ea1\u0307");
  EXPECT_EQ(nfc("a\u0307\u0323"), "\u1ea1\u0307");  // marks are sorted before they are composed
  EXPECT_EQ(nfc("\u1112\u1161\u11ab"), "한");
  EXPECT_EQ(nfc("Ａﬁ\u212a"), "Ａﬁ\u004b");
  EXPECT_EQ(nfc("plain ascii, ünïcode"), "plain ascii, ünïcode");
  EXPECT_EQ(nfc(std::string_view("a\0\u0301", 4)), std::string_view("a\0\u0301", 4));
}

TEST(UnicodeNormal, TheOtherForms) {
  EXPECT_EQ(form("é한", NormalForm::kNfd), "e\u0301\u1112\u1161\u11ab");
  EXPECT_EQ(form("½ cup ① ㎏ ﬁ", NormalForm::kNfkc), "1\u20442 cup 1 kg fi");  // BR-053
  EXPECT_EQ(form("é①", NormalForm::kNfkd), "e\u03011");
  EXPECT_EQ(form("\ufdfa", NormalForm::kNfkd).size(), 33u);  // the longest decomposition: 18 characters
}

// What a library of a later Unicode would decompose, compose or sort, and the models' tokenizers did not.
TEST(UnicodeNormal, LaterCharactersAreLeftAlone) {
  const std::string later = "a\U00010EFD\u0323\U000113C5 \U000113C2\U000113C2";
  EXPECT_EQ(nfc(later), later);
  EXPECT_EQ(form(later, NormalForm::kNfkd), later);
}

TEST(UnicodeNormal, LongRunsOfMarksAreSortedQuickly) {
  std::string text = "a", sorted = "\u00e1";
  for (int i = 0; i < 200'000; ++i) text += "\u0301";
  for (int i = 0; i < 200'000; ++i) text += "\u0316";
  const auto begin = std::chrono::steady_clock::now();
  const std::string out = nfc(text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_TRUE(out.starts_with("\u00e1\u0316"));
  EXPECT_TRUE(out.ends_with("\u0301"));
  EXPECT_EQ(out.size(), text.size() - 1);
}

}  // namespace
}  // namespace kelda::text
