#include "text/text_pair.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

class TextPairTest : public ::testing::Test {
 protected:
  TextPair pair(std::string_view context, std::string_view continuation) const {
    return encode_pair(*tokenizer_, context, continuation, Special::kText);
  }
  std::vector<std::string> pieces(const std::vector<TokenId>& ids) const {
    return testing::pieces_of(tokenizer_->vocabulary(), ids);
  }
  using Pieces = std::vector<std::string>;

  std::unique_ptr<const Tokenizer> tokenizer_ = make_tokenizer(testing::TinyVocabulary{}.make());
};

TEST_F(TextPairTest, TheContinuationIsWhatComesBeyondTheContextsTokens) {
  const TextPair p = pair("hello", " ab");
  EXPECT_EQ(pieces(p.context), Pieces{"hello"});
  EXPECT_EQ(pieces(p.continuation), (Pieces{"Ġ", "a", "b"}));
  EXPECT_TRUE(p.clean);
}

TEST_F(TextPairTest, BlanksAtTheContextsEndBelongToTheContinuation) {
  const TextPair a = pair("hello ", "b"), b = pair("hello", " b"), c = pair("hello \n", "b");
  EXPECT_EQ(a.context, b.context);
  EXPECT_EQ(a.continuation, b.continuation);
  EXPECT_EQ(pieces(c.context), Pieces{"hello"});
}

TEST_F(TextPairTest, ATokenOverTheBorderIsTold) {
  const TextPair p = pair("a", "aaab");  // "a" alone, "aaaa" together
  EXPECT_EQ(pieces(p.context), Pieces{"a"});
  EXPECT_EQ(pieces(p.continuation), Pieces{"b"});
  EXPECT_FALSE(p.clean);
}

TEST_F(TextPairTest, AContinuationWithoutTokensIsRefused) {
  EXPECT_THROW(pair("hello", ""), Error);
  try {
    pair("hel", "lo");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    EXPECT_NE(std::string(e.what()).find("no tokens of its own"), std::string::npos);
  }
}

TEST_F(TextPairTest, AnEmptyContextNeedsATokenThatBeginsTexts) {
  EXPECT_THROW(pair("", "b"), Error);
  for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"}) {
    testing::TinyVocabulary v;
    v.added = {{"<s>", TokenType::kControl}};
    Metadata m = v.metadata();
    const auto id = Vocabulary(v.metadata()).find("<s>");
    m.add(key, MetadataValue::Variant(static_cast<uint32_t>(id)));
    const auto tokenizer = make_tokenizer(std::make_shared<const Vocabulary>(m));
    for (const char* context : {"", "  "}) {
      const TextPair p = encode_pair(*tokenizer, context, "b", Special::kText);
      EXPECT_EQ(p.context, std::vector<TokenId>{id});
      EXPECT_EQ(testing::pieces_of(tokenizer->vocabulary(), p.continuation).back(), "b");
    }
  }
}

TEST_F(TextPairTest, ABosThatTheFileAsksForGoesInFrontOnce) {
  testing::TinyVocabulary v;
  v.added = {{"<s>", TokenType::kControl}};
  Metadata m = v.metadata();
  const auto id = Vocabulary(v.metadata()).find("<s>");
  m.add("tokenizer.ggml.bos_token_id", MetadataValue::Variant(static_cast<uint32_t>(id)));
  m.add("tokenizer.ggml.add_bos_token", MetadataValue::Variant(true));
  const auto tokenizer = make_tokenizer(std::make_shared<const Vocabulary>(m));
  const auto plain = encode_pair(*tokenizer, "hello", "b", Special::kText);
  EXPECT_EQ(plain.context, (std::vector<TokenId>{id, tokenizer->vocabulary().find("hello")}));
  EXPECT_EQ(encode_pair(*tokenizer, "<s>hello", "b", Special::kParse).context, plain.context);
}

TEST(BlanksAtEnd, AreThoseOfPythonsRstrip) {
  EXPECT_EQ(blanks_at_end(""), 0u);
  EXPECT_EQ(blanks_at_end(" a"), 0u);
  EXPECT_EQ(blanks_at_end("a \t\r\n\v\f\x1c\x1d\x1e\x1f"), 10u);
  EXPECT_EQ(blanks_at_end("a\u00a0\u2003\u3000\u0085"), 2u + 3 + 3 + 2);
  EXPECT_EQ(blanks_at_end("a \u200b"), 0u) << "no white space: it has a width of zero and a meaning";
  EXPECT_EQ(blanks_at_end("   "), 3u);
}

}  // namespace
}  // namespace kelda::text
