#include "text/wordpiece_model.h"

#include <gtest/gtest.h>

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces encode(std::string_view word, const Pieces& pieces, const WordPieceModel::Options& options) {
  const Vocabulary v(VocabularyParts{.model = "bert", .pieces = pieces});
  const WordPieceModel model(v, options);
  std::vector<TokenId> ids;
  model.encoder()->append(word, ids);
  Pieces out;
  for (const TokenId id : ids) out.push_back(v.piece(id));
  return out;
}

const Pieces kHashes = {"?", "lush", "##i", "lus", "##hi", "##h"};
const WordPieceModel::Options kOptions{
    .mark = "##", .mark_begins = false, .unknown = 0, .max_characters = 100};

TEST(WordPieceModel, TakesTheLongestPieceEachTime) {
  EXPECT_EQ(encode("lushi", kHashes, kOptions), (Pieces{"lush", "##i"}));
  EXPECT_EQ(encode("lus", kHashes, kOptions), (Pieces{"lus"}));
}

TEST(WordPieceModel, AWordThatDoesNotWorkOutIsUnknownAsAWhole) {
  EXPECT_EQ(encode("lushx", kHashes, kOptions), (Pieces{"?"}));
  EXPECT_EQ(encode("i", kHashes, kOptions), (Pieces{"?"}));  // goes on with a word, begins none
}

TEST(WordPieceModel, AMarkMayAlsoBeginWords) {
  const WordPieceModel::Options marked{.mark = "_", .mark_begins = true, .unknown = 0, .max_characters = 100};
  EXPECT_EQ(encode("lushi", {"?", "_lush", "i"}, marked), (Pieces{"_lush", "i"}));
  EXPECT_EQ(encode("i", {"?", "_lush", "i"}, marked), (Pieces{"?"}));
}

TEST(WordPieceModel, LongWordsAreUnknownByTheirCharacters) {
  const Pieces pieces = {"?", "é", "##é"};
  const auto word = [](int n) {
    std::string w;
    for (int i = 0; i < n; ++i) w += "é";
    return w;
  };
  EXPECT_EQ(encode(word(100), pieces, kOptions).size(), 100u);
  EXPECT_EQ(encode(word(101), pieces, kOptions), (Pieces{"?"}));
}

}  // namespace
}  // namespace kelda::text
