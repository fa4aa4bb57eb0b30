// src/text/tokenizers/sentencepiece_bpe.cpp, with hand-made vocabularies.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"
#include "text/detokenizer.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

struct Model {
  bool add_space_prefix = true, remove_extra = false, runs_of_blanks = false;
  Metadata metadata() const {
    Pieces pieces = {"<unk>", "<s>", "</s>"};
    std::vector<int32_t> types = {2, 3, 3};
    for (int b = 0; b < 256; ++b) {
      pieces.push_back(fmt::format("<0x{:02X}>", b));
      types.push_back(6);
    }
    for (const char* p :
         {"▁the", "the", "th", "▁t", "▁▁", "he", "text", "te", "xt", "\n\n", "▁", "t", "h", "e", "x", "ĉ"}) {
      pieces.push_back(p);
      types.push_back(pieces.back() == "\n\n" ? 4 : 1);
    }
    for (const char* run : {"  ", "   "}) {
      if (!runs_of_blanks) break;
      pieces.push_back(run);
      types.push_back(4);
    }
    std::vector<float> scores;
    for (std::size_t i = 0; i < pieces.size(); ++i) scores.push_back(-static_cast<float>(i));
    Metadata m;
    m.add("tokenizer.ggml.model", MetadataValue(std::string("llama")));
    m.add("tokenizer.ggml.tokens", MetadataValue(pieces));
    m.add("tokenizer.ggml.token_type", MetadataValue(types));
    m.add("tokenizer.ggml.scores", MetadataValue(scores));
    m.add("tokenizer.ggml.bos_token_id", MetadataValue(uint32_t{1}));
    m.add("tokenizer.ggml.add_space_prefix", MetadataValue(add_space_prefix));
    m.add("tokenizer.ggml.remove_extra_whitespaces", MetadataValue(remove_extra));
    return m;
  }
  std::unique_ptr<const Tokenizer> make() const {
    return make_tokenizer(std::make_shared<const Vocabulary>(metadata()));
  }
};

Pieces encode(const Model& model, std::string_view text) {
  const auto t = model.make();
  return testing::pieces_of(t->vocabulary(), t->encode(text, Special::kParse));
}

TEST(SentencepieceBpe, ATextAndWhatFollowsASpecialTokenBeginWithABlank) {
  EXPECT_EQ(encode({}, "the the"), (Pieces{"▁the", "▁the"}));
  EXPECT_EQ(encode({}, " the"), (Pieces{"▁", "▁the"}));
  EXPECT_EQ(encode({}, "<s>the"), (Pieces{"<s>", "▁the"}));
  EXPECT_EQ(encode({}, ""), (Pieces{}));
}

// BR-047
TEST(SentencepieceBpe, NoBlankIsAddedWhereTheFileDoesNotWantOne) {
  const Model model{.add_space_prefix = false};
  EXPECT_EQ(encode(model, "<s>text</s>"), (Pieces{"<s>", "text", "</s>"}));
  const auto t = model.make();
  EXPECT_EQ(t->decode(t->encode("<s>text</s>", Special::kParse), true), "<s>text</s>");
}

TEST(SentencepieceBpe, WhatNoPieceCoversBecomesBytes) {
  EXPECT_EQ(encode({.add_space_prefix = false}, "é"), (Pieces{"<0xC3>", "<0xA9>"}));
  EXPECT_EQ(encode({.add_space_prefix = false}, "<0x41>"),
            (Pieces{"<0x3C>", "<0x30>", "x", "<0x34>", "<0x31>", "<0x3E>"}));  // its letters are text
}

TEST(SentencepieceBpe, UserDefinedPiecesAreFoundFirst) {
  EXPECT_EQ(encode({.add_space_prefix = false}, "t\n\n\nt"), (Pieces{"t", "\n\n", "<0x0A>", "t"}));
}

// A publisher's runs of marks, which files hold as runs of blanks: whether written as marks or made of
// blanks.
TEST(SentencepieceBpe, AddedRunsOfBlanksAreRunsOfMarks) {
  const Model model{.add_space_prefix = false, .runs_of_blanks = true};
  EXPECT_EQ(encode(model, "▁▁▁t"), (Pieces{"   ", "t"}));
  EXPECT_EQ(encode(model, "   t"), (Pieces{"   ", "t"}));
  EXPECT_EQ(encode(model, " ▁ t"), (Pieces{"   ", "t"}));
  EXPECT_EQ(encode(model, "x    t"), (Pieces{"x", "   ", "▁t"}));
  EXPECT_EQ(encode(model, "x t"), (Pieces{"x", "▁t"}));
  EXPECT_EQ(encode(model, "t ▁the"), (Pieces{"t", "  ", "the"}));
  const auto t = model.make();
  for (const char* text : {"   t", "t  the ", "      "})
    EXPECT_EQ(t->decode(t->encode(text, Special::kText), false), text);
}

TEST(SentencepieceBpe, FurtherBlanksMayBeRemoved) {
  EXPECT_EQ(encode({.remove_extra = true}, "  the   the "), (Pieces{"▁the", "▁the"}));
}

TEST(SentencepieceBpe, TextComesBackAsItWent) {
  for (const bool prefix : {true, false}) {
    const auto t = Model{.add_space_prefix = prefix}.make();
    for (const char* text : {"the", " the", "  the ", "é 中\nĉ", "", " ", "x\u0301"})
      EXPECT_EQ(t->decode(t->encode(text, Special::kText), false), text) << '"' << text << '"';
  }
}

// BR-004 and BR-005
TEST(SentencepieceBpe, TheFirstBlankBelongsToTheTextOnlyWhenItGoesOn) {
  const auto t = Model{}.make();
  const auto ids = t->encode("the the", Special::kText);
  Detokenizer begins(*t, false, Detokenizer::Start::kText),
      goes_on(*t, false, Detokenizer::Start::kContinuation);
  EXPECT_EQ(begins.push(ids[0]), "the");
  EXPECT_EQ(begins.push(ids[1]), " the");
  EXPECT_EQ(goes_on.push(ids[0]), " the");
  EXPECT_EQ(t->decode(std::vector<TokenId>{t->vocabulary().find("ĉ")}, false), "ĉ");
  const auto with_bos = std::vector<TokenId>{1, ids[0]};
  EXPECT_EQ(t->decode(with_bos, false), "the");
  EXPECT_EQ(t->decode(with_bos, true), "<s> the");
}

TEST(SentencepieceBpe, BytesOfACharacterAreHeldBackUntilItIsWhole) {
  const auto t = Model{.add_space_prefix = false}.make();
  Detokenizer d(*t, false, Detokenizer::Start::kText);
  EXPECT_EQ(d.push(t->vocabulary().find("<0xC3>")), "");
  EXPECT_EQ(d.push(t->vocabulary().find("<0xA9>")), "é");
  EXPECT_EQ(d.push(t->vocabulary().find("<0xF0>")), "");
  EXPECT_EQ(d.finish(), "\uFFFD");
}

TEST(SentencepieceBpe, WithoutScoresAFileIsRefused) {
  const Metadata all = Model{}.metadata();
  Metadata m;
  for (const auto& [key, value] : all.items())
    if (key != "tokenizer.ggml.scores") m.add(key, value);
  EXPECT_THROW(make_tokenizer(std::make_shared<const Vocabulary>(m)), Error);
}

}  // namespace
}  // namespace kelda::text
