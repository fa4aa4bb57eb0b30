#include "text/bpe_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

// Pieces with scores −1, −2, … in their order.
std::shared_ptr<const Vocabulary> scored(const Pieces& pieces, const std::vector<TokenType>& types = {}) {
  VocabularyParts parts{.model = "llama", .pieces = pieces, .types = types};
  for (std::size_t i = 0; i < pieces.size(); ++i) parts.scores.push_back(-1.0f - static_cast<float>(i));
  return std::make_shared<const Vocabulary>(std::move(parts));
}

Pieces encode(const std::shared_ptr<const Vocabulary>& v, const BpeModel::Options& options,
              std::string_view text) {
  const BpeModel model(v, merges_of_scores(*v), options);
  std::vector<TokenId> ids;
  model.encoder()->append(text, ids);
  Pieces out;
  for (const TokenId id : ids) out.push_back(v->piece(id));
  return out;
}

TEST(BpeModel, ScoresDecideWhatIsMergedFirst) {
  const auto v = scored({"bc", "ab", "abc", "a", "b", "c"});
  EXPECT_EQ(encode(v, {}, "abc"), (Pieces{"abc"}));
  EXPECT_EQ(encode(v, {}, "abab"), (Pieces{"ab", "ab"}));
  EXPECT_EQ(encode(scored({"bc", "ab", "a", "b", "c"}), {}, "abc"), (Pieces{"a", "bc"}));
}

TEST(BpeModel, OfOneScoreTheLongerLeftPartGoesFirst) {
  const auto v = scored({"aa", "aaa", "a"});
  const auto merges = merges_of_scores(*v);
  ASSERT_EQ(merges.size(), 3u);
  EXPECT_EQ(v->piece(merges[1].left), "aa");
  EXPECT_EQ(v->piece(merges[2].left), "a");
}

TEST(BpeModel, MergesMakeNoControlUnknownOrByteTokens) {
  for (const TokenType type : {TokenType::kControl, TokenType::kUnknown, TokenType::kByte})
    EXPECT_TRUE(
        merges_of_scores(*scored({"ab", "a", "b"}, {type, TokenType::kNormal, TokenType::kNormal})).empty());
}

TEST(BpeModel, WhatIsNoTokenBecomesBytesOrUnknownOrNothing) {
  Pieces pieces = {"<unk>", "a", "b", "ab"};
  const auto small = scored(pieces);
  for (int b = 0; b < 256; ++b) pieces.push_back(fmt::format("<0x{:02X}>", b));
  const auto full = scored(pieces);
  const BpeModel::Options bytes{.byte_fallback = true, .fuse_unknown = true, .unknown = 0};
  EXPECT_EQ(encode(full, bytes, "aéb"), (Pieces{"a", "<0xC3>", "<0xA9>", "b"}));
  EXPECT_EQ(encode(small, bytes, "aéxb"), (Pieces{"a", "<unk>", "b"}));
  EXPECT_EQ(encode(small, {.unknown = 0}, "aéxb"), (Pieces{"a", "<unk>", "<unk>", "b"}));
  EXPECT_EQ(encode(small, {}, "aéxb"), (Pieces{"ab"}));
}

TEST(BpeModel, AControlTokenStandsForNoByte) {
  Pieces pieces = {"<unk>", "a"};
  for (int b = 0; b < 256; ++b) pieces.push_back(fmt::format("<0x{:02X}>", b));
  std::vector<TokenType> types(pieces.size(), TokenType::kByte);
  types[0] = TokenType::kUnknown;
  types[1] = TokenType::kNormal;
  types[2 + '2'] = TokenType::kControl;
  const BpeModel::Options bytes{.byte_fallback = true, .unknown = 0};
  EXPECT_EQ(encode(scored(pieces, types), bytes, "a12"), (Pieces{"a", "<0x31>", "<unk>"}));
}

TEST(BpeModel, AWholePieceMayBeTakenAsItIs) {
  const auto v = scored({"abc", "a", "b", "c"});
  EXPECT_EQ(encode(v, {.ignore_merges = true}, "abc"), (Pieces{"abc"}));
  EXPECT_EQ(encode(v, {}, "abc"), (Pieces{"a", "b", "c"}));
  const auto control = scored({"abc", "a", "b", "c"}, {TokenType::kControl, TokenType::kNormal,
                                                       TokenType::kNormal, TokenType::kNormal});
  EXPECT_EQ(encode(control, {.ignore_merges = true}, "abc"), (Pieces{"a", "b", "c"}));
}

TEST(BpeModel, KnowsWhereATextMayBeCut) {
  const auto joined = [](const Pieces& pieces, const BpeModel::Options& options) {
    const auto v = scored(pieces);
    return BpeModel(v, merges_of_scores(*v), options).joined_before("_");
  };
  EXPECT_EQ(joined({"_a", "__", "_", "a"}, {.unknown = 0}), (Pieces{}));
  EXPECT_EQ(joined({"é_a", "_a", "é", "_", "a"}, {.unknown = 0}), (Pieces{"é"}));
  EXPECT_EQ(joined({"_a", "_", "a"}, {}), std::nullopt);  // something may be dropped, and its neighbours meet
  EXPECT_EQ(joined({"a"}, {.unknown = 0}), std::nullopt);
}

}  // namespace
}  // namespace kelda::text
