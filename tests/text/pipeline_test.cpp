#include "text/pipeline.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

// Characters, "▁" among them, a few merges, and the given added tokens after them.
std::unique_ptr<const Tokenizer> make(Rules rules, const std::vector<AddedToken>& added,
                                      bool marked = false) {
  VocabularyParts parts{.model = "llama",
                        .pieces = {"?", "h", "e", "l", "o", "▁", "<", ">", "s", "he", "▁h"}};
  parts.merges = {{"h", "e"}, {"▁", "h"}};
  parts.types.assign(parts.pieces.size(), TokenType::kNormal);
  for (AddedToken t : added) {
    t.id = static_cast<TokenId>(parts.pieces.size());
    parts.pieces.push_back(t.text);
    parts.types.push_back(t.special ? TokenType::kControl : TokenType::kUserDefined);
    rules.added.push_back(t);
  }
  auto v = std::make_shared<const Vocabulary>(std::move(parts));
  auto model = std::make_unique<const BpeModel>(v, v->merges(), BpeModel::Options{.unknown = 0});
  if (marked) return make_marked_bpe(std::move(v), std::move(rules), std::move(model), "▁");
  return std::make_unique<Pipeline>(std::move(v), std::move(rules), std::move(model));
}

Pieces encode(const Tokenizer& t, std::string_view text, std::span<const ByteSpan> special_in) {
  return testing::pieces_of(t.vocabulary(), t.encode(text, special_in));
}

TEST(Pipeline, MarkingTextAsPlainChangesNothingButControlTokens) {
  const auto t =
      make({}, {{.id = 0, .text = "<s>", .special = true}, {.id = 0, .text = "oo", .special = false}});
  const ByteSpan all[] = {{0, 7}}, halves[] = {{0, 4}, {4, 7}};
  EXPECT_EQ(encode(*t, "<s>heoo", all), (Pieces{"<s>", "he", "oo"}));
  EXPECT_EQ(encode(*t, "<s>heoo", halves), (Pieces{"<s>", "he", "oo"}));  // merges go across borders of spans
  EXPECT_EQ(encode(*t, "<s>heoo", {}), (Pieces{"<", "s", ">", "he", "oo"}));
}

TEST(Pipeline, AddedTokensOfNormalisedTextAreLookedForThere) {
  Rules rules;
  rules.normalizer = Normalizer({Lowercase{}});
  const auto t = make(std::move(rules), {{.id = 0, .text = "HELL", .special = false, .normalized = true}});
  EXPECT_EQ(encode(*t, "HeLLo", {}), (Pieces{"HELL", "o"}));
}

TEST(Pipeline, ASpecialTokenThatTheNormalizerChangesIsRefused) {
  Rules rules;
  rules.normalizer = Normalizer({Lowercase{}});
  EXPECT_THROW(make(std::move(rules), {{.id = 0, .text = "<S>", .special = true, .normalized = true}}),
               Error);
  Rules fine;
  fine.normalizer = Normalizer({Lowercase{}});
  const auto t = make(std::move(fine), {{.id = 0, .text = "<s>", .special = true, .normalized = true}});
  const ByteSpan second[] = {{3, 6}};
  EXPECT_EQ(encode(*t, "<s><s>H", second), (Pieces{"<", "s", ">", "<s>", "h"}));
}

TEST(Pipeline, ATextCutAtItsBlanksHasTheSameIds) {
  Rules plain, cut;
  plain.normalizer = cut.normalizer = Normalizer({ReplaceText{" ", "▁"}});
  const auto a = make(std::move(plain), {}), b = make(std::move(cut), {}, true);
  for (const char* text : {"", " ", "  ", "he he", "  hello  he ", "x\n h\n\n  he", "▁ h"})
    EXPECT_EQ(a->encode(text, Special::kText), b->encode(text, Special::kText)) << text;
}

TEST(Pipeline, IdsOutsideTheVocabularyAreRefused) {
  const auto t = make({}, {});
  for (const TokenId id : {-1, t->vocabulary().size()}) {
    EXPECT_THROW(t->bytes(id, true), Error);
    EXPECT_THROW(t->first_bytes(id, true), Error);
  }
}

}  // namespace
}  // namespace kelda::text
