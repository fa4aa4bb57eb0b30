#include "text/token_bytes.h"

#include <gtest/gtest.h>

namespace kelda::text {
namespace {

using Kind = DecoderRules::Kind;

Vocabulary vocabulary(std::vector<std::string> pieces, std::vector<TokenType> types = {}) {
  return Vocabulary(VocabularyParts{.model = "x", .pieces = std::move(pieces), .types = std::move(types)});
}

TEST(TokenBytes, ByteLevelPiecesAreBytesAndAddedOnesText) {
  const auto v =
      vocabulary({"ĠÃ©", "<é>", "é€"}, {TokenType::kNormal, TokenType::kUserDefined, TokenType::kNormal});
  EXPECT_EQ(token_bytes(v, {.kind = Kind::kByteLevel}), (std::vector<std::string>{" é", "<é>", "é€"}));
}

// BR-005: how a vocabulary writes blanks is told, not guessed from its pieces.
TEST(TokenBytes, MarksAreBlanksAndByteTokensBytes) {
  const auto v = vocabulary(
      {"▁a▁", "ĉ", "<0x0A>", "<0x0A", "▁<s>"},
      {TokenType::kNormal, TokenType::kNormal, TokenType::kByte, TokenType::kNormal, TokenType::kControl});
  const DecoderRules rules{.kind = Kind::kMetaspace, .mark = "▁", .at_start = DecoderRules::Drop::kOneBlank};
  EXPECT_EQ(token_bytes(v, rules), (std::vector<std::string>{" a ", "ĉ", "\n", "<0x0A", "▁<s>"}));
  EXPECT_EQ(first_token_bytes("▁a", " a", rules), "a");
  EXPECT_EQ(first_token_bytes("▁▁a", "  a", rules), " a");
  EXPECT_EQ(first_token_bytes("a", "a", rules), "a");
}

// As the package's Metaspace decoder has it.
TEST(TokenBytes, TheFirstTokenMayLoseEveryBlank) {
  const DecoderRules rules{.kind = Kind::kMetaspace, .mark = "▁", .at_start = DecoderRules::Drop::kAllBlanks};
  EXPECT_EQ(first_token_bytes("▁▁a▁b", "  a b", rules), "ab");
  EXPECT_EQ(first_token_bytes("<0x20>", " ", rules), "");
}

TEST(TokenBytes, WordsHaveBlanksBetween) {
  const auto v = vocabulary({"don", "##'t", ".", "[SEP]"}, {TokenType::kNormal, TokenType::kNormal,
                                                            TokenType::kNormal, TokenType::kControl});
  const DecoderRules rules{.kind = Kind::kWords, .mark = "##", .tidy = true};
  EXPECT_EQ(token_bytes(v, rules), (std::vector<std::string>{" don", "'t", ".", " [SEP]"}));
  EXPECT_EQ(first_token_bytes("don", " don", rules), "don");
  EXPECT_EQ(first_token_bytes("##'t", "'t", rules), "##'t");
  const DecoderRules marked{.kind = Kind::kMarkedWords, .mark = "▁"};
  EXPECT_EQ(token_bytes(vocabulary({"▁don", "'t"}), marked), (std::vector<std::string>{" don", "'t"}));
  EXPECT_EQ(first_token_bytes("▁don", " don", marked), "don");
}

}  // namespace
}  // namespace kelda::text
