// src/text/tokenizers/wordpiece.cpp, with a hand-made vocabulary.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"
#include "text/tokenizer.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

Metadata metadata() {
  const Pieces pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁lush", "i",   "▁lus", "hi", "▁the", "▁quick",
                         "▁fox",  "▁don",  "▁'",    "▁t",    "▁你",   "▁好", "▁，",  "▁.", "▁É",   "▁é"};
  Metadata m;
  m.add("tokenizer.ggml.model", MetadataValue(std::string("bert")));
  m.add("tokenizer.ggml.tokens", MetadataValue(pieces));
  std::vector<int32_t> types(pieces.size(), 1);
  std::fill_n(types.begin(), 4, 3);
  m.add("tokenizer.ggml.token_type", MetadataValue(types));
  m.add("tokenizer.ggml.unknown_token_id", MetadataValue(uint32_t{1}));
  m.add("tokenizer.ggml.cls_token_id", MetadataValue(uint32_t{2}));
  m.add("tokenizer.ggml.seperator_token_id", MetadataValue(uint32_t{3}));
  return m;
}

std::unique_ptr<const Tokenizer> make(const Metadata& m) {
  return make_tokenizer(std::make_shared<const Vocabulary>(m));
}
Pieces encode(std::string_view text, Special special = Special::kText) {
  const auto t = make(metadata());
  return testing::pieces_of(t->vocabulary(), t->encode(text, special));
}

// BR-055
TEST(WordPiece, ReadsTextAsBertDoes) {
  EXPECT_EQ(encode("lǜshi"), (Pieces{"▁lush", "i"}));
  EXPECT_EQ(encode("The QUICK fox."), (Pieces{"▁the", "▁quick", "▁fox", "▁."}));
  EXPECT_EQ(encode("don't"), (Pieces{"▁don", "▁'", "▁t"}));
  EXPECT_EQ(encode("你好，x"), (Pieces{"▁你", "▁好", "▁，", "[UNK]"}));
  EXPECT_EQ(encode("\u200b"), (Pieces{}));
  EXPECT_EQ(encode(std::string(101, 't')), (Pieces{"[UNK]"}));
}

TEST(WordPiece, CaseAndAccentsStayWhereTheFileSaysSo) {
  Metadata m = metadata();
  m.set("tokenizer.ggml.normalizer.lowercase", MetadataValue(false));
  const auto t = make(m);
  EXPECT_EQ(testing::pieces_of(t->vocabulary(), t->encode("É é", Special::kText)), (Pieces{"▁É", "▁é"}));
}

TEST(WordPiece, SpecialTextIsSpecialOnlyWhenAsked) {
  EXPECT_EQ(encode("the[SEP]fox", Special::kParse), (Pieces{"▁the", "[SEP]", "▁fox"}));
  for (const std::string& piece : encode("[SEP]")) EXPECT_NE(piece, "[SEP]");
}

TEST(WordPiece, PromptsAreFramedAndTextComesBackTidy) {
  const auto t = make(metadata());
  const EncodedPrompt p = t->encode_prompt("The quick fox.", Special::kText);
  EXPECT_EQ(p.ids.front(), 2);
  EXPECT_EQ(p.ids.back(), 3);
  EXPECT_EQ(t->decode(p.ids, false), "the quick fox.");
}

TEST(WordPiece, WithoutAnUnknownTokenAFileIsRefused) {
  const Metadata all = metadata();
  Metadata m;
  for (const auto& [key, value] : all.items())
    if (key != "tokenizer.ggml.unknown_token_id") m.add(key, value);
  EXPECT_THROW(make(m), Error);
}

}  // namespace
}  // namespace kelda::text
