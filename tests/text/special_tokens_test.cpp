#include "text/special_tokens.h"

#include <gtest/gtest.h>

#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

struct Fixture {
  std::shared_ptr<const Vocabulary> vocabulary = testing::TinyVocabulary{
      .added = {{"<|a|>", TokenType::kControl},
                {"<|a|><|b|>", TokenType::kControl},
                {"<u>", TokenType::kUserDefined},
                {"<unk>", TokenType::kUnknown},
                {"<|x<u>y|>", TokenType::kControl},
                {"<unused>", TokenType::kUnused}}}.make();
  SpecialTokens special{*vocabulary};

  std::vector<std::string> all(std::string_view text, Special how) const {
    std::vector<std::string> out;
    std::size_t from = 0;
    while (const auto m = special.next(text, from, how)) {
      EXPECT_EQ(text.substr(m->begin, m->end - m->begin), vocabulary->piece(m->id));
      out.push_back(vocabulary->piece(m->id));
      from = m->end;
    }
    return out;
  }
};

using Pieces = std::vector<std::string>;

TEST(SpecialTokens, TheLeftmostAndThenTheLongestWins) {
  const Fixture f;
  EXPECT_EQ(f.all("x<|a|>y<|a|><|b|><|a|><|b", Special::kParse), (Pieces{"<|a|>", "<|a|><|b|>", "<|a|>"}));
  EXPECT_EQ(f.all("<|<|a|>", Special::kParse), (Pieces{"<|a|>"}));
  EXPECT_EQ(f.all("<|a|", Special::kParse), (Pieces{}));
  EXPECT_EQ(f.all("", Special::kParse), (Pieces{}));
}

TEST(SpecialTokens, ControlTokensInTextAreText) {
  const Fixture f;
  EXPECT_EQ(f.all("<|a|><u><unk><|a|><|b|>", Special::kText), (Pieces{"<u>"}));
  EXPECT_EQ(f.all("<|a|><u><unk>", Special::kParse), (Pieces{"<|a|>", "<u>", "<unk>"}));
}

TEST(SpecialTokens, NothingIsLookedForInsideAControlTokenThatIsText) {
  EXPECT_EQ(Fixture().all("<|x<u>y|><u>", Special::kText), (Pieces{"<u>"}));
}

TEST(SpecialTokens, UnusedTokensAreNeverCutOut) {
  EXPECT_EQ(Fixture().all("<unused>", Special::kParse), (Pieces{}));
}

}  // namespace
}  // namespace kelda::text
