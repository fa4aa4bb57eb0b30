#include "text/added_tokens.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

struct Fixture {
  std::shared_ptr<const Vocabulary> vocabulary = testing::TinyVocabulary{
      .added = {{"<|a|>", TokenType::kControl},
                {"<|a|><|b|>", TokenType::kControl},
                {"<u>", TokenType::kUserDefined},
                {"<unk>", TokenType::kUnknown},
                {"<|x<u>y|>", TokenType::kControl},
                {"<unused>", TokenType::kUnused}}}.make();
  AddedTokens tokens{added_tokens_of(*vocabulary)};

  Pieces all(std::string_view text, std::span<const ByteSpan> special_in) const {
    Pieces out;
    std::size_t from = 0;
    while (const auto m = tokens.next(text, from, special_in)) {
      EXPECT_EQ(text.substr(m->begin, m->end - m->begin), vocabulary->piece(m->id));
      out.push_back(vocabulary->piece(m->id));
      from = m->end;
    }
    return out;
  }
  Pieces parsed(std::string_view text) const {
    const ByteSpan everything{0, text.size()};
    return all(text, {&everything, 1});
  }
};

TEST(AddedTokens, TheLeftmostAndThenTheLongestWins) {
  const Fixture f;
  EXPECT_EQ(f.parsed("x<|a|>y<|a|><|b|><|a|><|b"), (Pieces{"<|a|>", "<|a|><|b|>", "<|a|>"}));
  EXPECT_EQ(f.parsed("<|<|a|>"), (Pieces{"<|a|>"}));
  EXPECT_EQ(f.parsed("<|a|"), (Pieces{}));
  EXPECT_EQ(f.parsed(""), (Pieces{}));
}

TEST(AddedTokens, ControlTokensOutsideOfTheSpansAreText) {
  const Fixture f;
  EXPECT_EQ(f.all("<|a|><u><unk><|a|><|b|>", {}), (Pieces{"<u>"}));
  EXPECT_EQ(f.parsed("<|a|><u><unk>"), (Pieces{"<|a|>", "<u>", "<unk>"}));
  const std::string_view text = "<|a|> <|a|> <|a|>";  // at 0, 6 and 12
  const ByteSpan middle[] = {{6, 11}}, cut[] = {{0, 4}, {4, 10}, {12, 17}}, touching[] = {{0, 3}, {3, 5}};
  EXPECT_EQ(f.all(text, middle).size(), 1u);
  EXPECT_EQ(f.all(text, cut).size(), 1u);  // a token must lie in one span
  EXPECT_EQ(f.all(text, touching).size(), 0u);
}

TEST(AddedTokens, SpansAreOfTheWholeTextThatThePartLiesIn) {
  const Fixture f;
  const ByteSpan spans[] = {{10, 15}};
  EXPECT_TRUE(f.tokens.next("<|a|>", 0, spans, 10));
  EXPECT_FALSE(f.tokens.next("<|a|>", 0, spans, 9));
}

TEST(AddedTokens, NothingIsLookedForInsideAControlTokenThatIsText) {
  EXPECT_EQ(Fixture().all("<|x<u>y|><u>", {}), (Pieces{"<u>"}));
}

TEST(AddedTokens, UnusedTokensAreNeverCutOut) { EXPECT_EQ(Fixture().parsed("<unused>"), (Pieces{})); }

// Cases like those of the golden file, by hand.
TEST(AddedTokens, TakeBlanksAndRespectWords) {
  const AddedTokens left({{.id = 1, .text = "T", .special = false, .lstrip = true}});
  const auto l = left.next(" a\u3000\n T b", 0, {});
  ASSERT_TRUE(l);
  EXPECT_EQ(l->begin, 2u);
  EXPECT_EQ(l->end, 8u);
  EXPECT_EQ(left.next("  T", 1, {})->begin, 1u);  // not beyond where the search began
  const AddedTokens right({{.id = 1, .text = "T", .special = false, .rstrip = true}});
  EXPECT_EQ(right.next("T \u00a0\r\n x", 0, {})->end, 7u);
  const AddedTokens word({{.id = 1, .text = "T", .special = false, .single_word = true}});
  for (const char* text : {"aT", "Ta", "_T", "T9", "éT", "T\u0301"})
    EXPECT_FALSE(word.next(text, 0, {})) << text;
  for (const char* text : {"T", " T ", "-T.", "中-T", "T\u00ab"}) EXPECT_TRUE(word.next(text, 0, {})) << text;
}

TEST(AddedTokens, EmptyAndOverlongTokensAreRefused) {
  EXPECT_THROW(AddedTokens({{.id = 1, .text = "", .special = true}}), Error);
  EXPECT_THROW(AddedTokens({{.id = 1, .text = std::string(kMaxAddedTokenBytes + 1, 'x'), .special = true}}),
               Error);
  EXPECT_NO_THROW(AddedTokens({{.id = 1, .text = std::string(kMaxAddedTokenBytes, 'x'), .special = true}}));
}

// The end of "▁": cut out of a text, it would leave bytes that are no text.
TEST(AddedTokens, APartOfACharacterIsRefused) {
  EXPECT_THROW(AddedTokens({{.id = 1, .text = "\x81t", .special = false}}), Error);
}

}  // namespace
}  // namespace kelda::text
