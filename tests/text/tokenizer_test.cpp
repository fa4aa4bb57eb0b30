#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

using testing::TinyVocabulary;

std::unique_ptr<const Tokenizer> with(std::string_view key, MetadataValue value, std::string_view key2 = "",
                                      MetadataValue value2 = {}) {
  Metadata m =
      TinyVocabulary{.added = {{"<s>", TokenType::kControl}, {"</s>", TokenType::kControl}}}.metadata();
  const auto size = static_cast<uint32_t>(m.find("tokenizer.ggml.tokens")->array_size());
  m.set("tokenizer.ggml.bos_token_id", MetadataValue(size - 2));
  m.set("tokenizer.ggml.eos_token_id", MetadataValue(size - 1));
  m.set(key, std::move(value));
  if (!key2.empty()) m.set(key2, std::move(value2));
  return make_tokenizer(std::make_shared<const Vocabulary>(m));
}

std::vector<std::string> prompt(const Tokenizer& t, std::string_view text) {
  return testing::pieces_of(t.vocabulary(), t.encode_prompt(text, Special::kText).ids);
}

TEST(Tokenizer, APromptBeginsAndEndsAsTheFileAsks) {
  using Pieces = std::vector<std::string>;
  const char *bos = "tokenizer.ggml.add_bos_token", *eos = "tokenizer.ggml.add_eos_token";
  EXPECT_EQ(prompt(*with(bos, false), "hello"), (Pieces{"hello"}));
  EXPECT_EQ(prompt(*with(bos, true), "hello"), (Pieces{"<s>", "hello"}));
  EXPECT_EQ(prompt(*with(eos, true), "hello"), (Pieces{"hello", "</s>"}));
  EXPECT_EQ(prompt(*with(bos, true, eos, true), ""), (Pieces{"<s>", "</s>"}));
  EXPECT_EQ(with(bos, true)->encode("", Special::kText), std::vector<TokenId>{});
}

TEST(Tokenizer, BosAndEosThatTheTextHasAreNotPutTwice) {
  const auto t = with("tokenizer.ggml.add_bos_token", true, "tokenizer.ggml.add_eos_token", true);
  const auto pieces = [&](const EncodedPrompt& p) { return testing::pieces_of(t->vocabulary(), p.ids); };
  const EncodedPrompt written = t->encode_prompt("<s>hello</s>", Special::kParse);
  EXPECT_EQ(pieces(written), (std::vector<std::string>{"<s>", "hello", "</s>"}));
  EXPECT_TRUE(written.text_began_with_bos && written.text_ended_with_eos);
  const EncodedPrompt plain = t->encode_prompt("<s>hello", Special::kText);
  EXPECT_EQ(plain.ids.front(), t->vocabulary().bos());
  EXPECT_EQ(plain.ids[1], t->vocabulary().find("<"));
  EXPECT_FALSE(plain.text_began_with_bos || plain.text_ended_with_eos);
  const ByteSpan begin[] = {{0, 3}};
  EXPECT_TRUE(t->encode_prompt("<s>hello</s>", begin).text_began_with_bos);
  EXPECT_FALSE(t->encode_prompt("<s>hello</s>", begin).text_ended_with_eos);
}

TEST(Tokenizer, ManyDocumentsOnManyThreadsGiveTheSameIdsInOrder) {
  const auto t = make_tokenizer(TinyVocabulary().make());
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 17), 'a') + " hello");
  const std::vector<std::string_view> documents(texts.begin(), texts.end());
  ThreadPool pool(4);
  const auto all = t->encode_all(documents, Special::kText, pool);
  ASSERT_EQ(all.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(all[i], t->encode(texts[i], Special::kText));
}

TEST(Tokenizer, TheFirstFaultyDocumentIsNamed) {
  const auto t = make_tokenizer(TinyVocabulary().make());
  std::vector<std::string_view> documents(50, "hello");
  documents[7] = documents[31] = "\xFF";
  ThreadPool pool(4);
  try {
    t->encode_all(documents, Special::kText, pool);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    EXPECT_TRUE(std::string(e.what()).starts_with("document 7: ")) << e.what();
  }
}

TEST(Tokenizer, DecodeIsAlwaysValidText) {
  const auto t = make_tokenizer(TinyVocabulary().make());
  const Vocabulary& v = t->vocabulary();
  const auto ids = t->encode("é😀", Special::kText);
  ASSERT_EQ(ids.size(), 6u);
  EXPECT_EQ(t->decode(ids, false), "é😀");
  EXPECT_EQ(t->decode(std::span(ids).first(4), false), "é\uFFFD");
  EXPECT_EQ(t->decode(std::vector<TokenId>{v.find("ÿ"), v.find("h")}, false), "\uFFFDh");
  EXPECT_EQ(t->decode({}, false), "");
}

TEST(Tokenizer, AnUnknownModelIsRefusedWithTheKnownOnes) {
  try {
    with("tokenizer.ggml.model", MetadataValue(std::string("rwkv")));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("rwkv"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("gpt2"), std::string::npos);
  }
}

TEST(Tokenizer, EveryKindNamesItselfAndItsModelOnce) {
  for (const TokenizerKind* a : tokenizer_kinds()) {
    EXPECT_FALSE(a->name.empty() || a->model.empty());
    for (const TokenizerKind* b : tokenizer_kinds())
      EXPECT_TRUE(a == b || (a->name != b->name && a->model != b->model));
  }
}

}  // namespace
}  // namespace kelda::text
