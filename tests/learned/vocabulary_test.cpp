#include "learned/vocabulary.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace kelda {
namespace {

using Strings = std::vector<std::string>;

Metadata valid() {
  Metadata m;
  m.add("tokenizer.ggml.model", MetadataValue(std::string("gpt2")));
  m.add("tokenizer.ggml.pre", MetadataValue(std::string("smollm")));
  m.add("tokenizer.ggml.tokens",
        MetadataValue(Strings{"a", "b", "ab", "c", "abc", "<|im_end|>", "<|endoftext|>", "<u>"}));
  m.add("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1, 1, 1, 1, 3, 3, 4}));
  m.add("tokenizer.ggml.merges", MetadataValue(Strings{"a b", "ab c"}));
  m.add("tokenizer.ggml.bos_token_id", MetadataValue(uint32_t{6}));
  m.add("tokenizer.ggml.eos_token_id", MetadataValue(uint32_t{5}));
  return m;
}

// Expects kBadInput whose message has every one of `parts`.
void expect_bad(const Metadata& m, const Strings& parts) {
  try {
    const Vocabulary v(m);
    FAIL() << "accepted; expected an error with \"" << parts.front() << "\"";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

void expect_bad(std::string_view key, MetadataValue value, const Strings& parts) {
  Metadata m = valid();
  m.set(key, std::move(value));
  expect_bad(m, parts);
}

Metadata without(std::string_view key) {
  const Metadata all = valid();
  Metadata m;
  for (const auto& [k, value] : all.items())
    if (k != key) m.add(k, value);
  return m;
}

TEST(Vocabulary, ReadsPiecesTypesMergesAndIds) {
  const Vocabulary v(valid());
  EXPECT_EQ(v.size(), 8);
  EXPECT_EQ(v.piece(2), "ab");
  EXPECT_EQ(v.type(5), TokenType::kControl);
  EXPECT_EQ(v.type(7), TokenType::kUserDefined);
  EXPECT_EQ(v.find("abc"), 4);
  EXPECT_EQ(v.find("abcd"), -1);
  ASSERT_EQ(v.merges().size(), 2u);
  EXPECT_EQ(v.merges()[1].left, 2);
  EXPECT_EQ(v.merges()[1].right, 3);
  EXPECT_EQ(v.merges()[1].result, 4);
  EXPECT_EQ(v.model(), "gpt2");
  EXPECT_EQ(v.pre_tokenizer(), "smollm");
  EXPECT_EQ(v.bos(), 6);
  EXPECT_EQ(v.eos(), 5);
  EXPECT_TRUE(v.scores().empty());
  EXPECT_FALSE(v.add_bos());
  EXPECT_FALSE(v.add_eos());
  EXPECT_FALSE(v.add_space_prefix());
  EXPECT_GT(v.bytes(), 8 * sizeof(std::string));
}

TEST(Vocabulary, StaysValidWhenMoved) {
  Vocabulary v(valid());
  const Vocabulary moved(std::move(v));
  EXPECT_EQ(moved.find("c"), 3);
  EXPECT_EQ(moved.find("<|im_end|>"), 5);
}

TEST(Vocabulary, IdsThatTheFileLacksAreMinusOne) {
  const Metadata m = without("tokenizer.ggml.bos_token_id");
  const Vocabulary v(m);
  EXPECT_EQ(v.bos(), -1);
  EXPECT_FALSE(v.add_bos());
}

TEST(Vocabulary, EveryTokenIsNormalWithoutTypes) {
  EXPECT_EQ(Vocabulary(without("tokenizer.ggml.token_type")).type(5), TokenType::kNormal);
}

TEST(Vocabulary, MayBeMadeOfParts) {
  VocabularyParts parts{
      .model = "gpt2", .pieces = {"a", "b", "ab"}, .pieces_name = "x.vocab", .merges_name = "x.merges"};
  parts.merges = {{"a", "b"}};
  const Vocabulary v(parts);
  EXPECT_EQ(v.type(2), TokenType::kNormal);
  EXPECT_EQ(v.merges().at(0).result, 2);
  EXPECT_EQ(v.unknown(), -1);
  EXPECT_FALSE(v.add_bos());
  parts.merges.push_back({"b", "a"});
  try {
    const Vocabulary bad(parts);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(
        std::string(e.what()).find("x.merges: entry 1 \"b a\" needs a token \"ba\", which x.vocab lacks"),
        std::string::npos)
        << e.what();
  }
}

TEST(Vocabulary, EmptyListsBesideTokensAreRefused) {
  expect_bad("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{}),
             {"tokenizer.ggml.token_type", "0"});
  expect_bad("tokenizer.ggml.scores", MetadataValue(std::vector<float>{}), {"tokenizer.ggml.scores", "0"});
}

TEST(Vocabulary, TheUnknownTokenIsNamedOrOfItsType) {
  Metadata m = valid();
  EXPECT_EQ(Vocabulary(m).unknown(), -1);
  m.set("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1, 1, 2, 1, 3, 3, 4}));
  EXPECT_EQ(Vocabulary(m).unknown(), 3);
  m.set("tokenizer.ggml.unknown_token_id", MetadataValue(uint32_t{0}));
  EXPECT_EQ(Vocabulary(m).unknown(), 0);
}

// BR-041: marks between files end an answer even where the file calls them text that the publisher added.
TEST(Vocabulary, UserDefinedMarkersAreEndTokensToo) {
  Metadata m = valid();
  m.set("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1, 1, 1, 1, 3, 4, 4}));
  EXPECT_EQ(Vocabulary(m).end_tokens(), (std::vector<TokenId>{5, 6}));
}

TEST(Vocabulary, EndTokensAreEosEotEomAndKnownControlMarkers) {
  Metadata m = valid();
  EXPECT_EQ(Vocabulary(m).end_tokens(), (std::vector<TokenId>{5, 6}));
  m.set("tokenizer.ggml.eot_token_id", MetadataValue(uint32_t{4}));
  m.set("tokenizer.ggml.eom_token_id", MetadataValue(uint32_t{0}));
  EXPECT_EQ(Vocabulary(m).end_tokens(), (std::vector<TokenId>{0, 4, 5, 6}));
}

TEST(Vocabulary, AMarkerThatIsPlainTextEndsNothing) {
  Metadata m = valid();
  m.set("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1, 1, 1, 1, 3, 1, 4}));
  EXPECT_EQ(Vocabulary(m).end_tokens(), (std::vector<TokenId>{5}));
}

TEST(Vocabulary, DefaultsFollowTheKindOfModel) {
  Metadata m = valid();
  m.set("tokenizer.ggml.model", MetadataValue(std::string("llama")));
  EXPECT_TRUE(Vocabulary(m).add_bos());
  EXPECT_TRUE(Vocabulary(m).add_space_prefix());
  m.set("tokenizer.ggml.add_bos_token", MetadataValue(false));
  m.set("tokenizer.ggml.add_space_prefix", MetadataValue(false));
  EXPECT_FALSE(Vocabulary(m).add_bos());
  EXPECT_FALSE(Vocabulary(m).add_space_prefix());
  Metadata llama3 = valid();
  llama3.set("tokenizer.ggml.pre", MetadataValue(std::string("llama-bpe")));
  EXPECT_TRUE(Vocabulary(llama3).add_bos());
}

TEST(Vocabulary, ABertFileFramesPromptsWithClsAndSep) {
  Metadata m;
  m.add("tokenizer.ggml.model", MetadataValue(std::string("bert")));
  m.add("tokenizer.ggml.tokens", MetadataValue(Strings{"[PAD]", "[CLS]", "[SEP]"}));
  m.add("tokenizer.ggml.cls_token_id", MetadataValue(uint32_t{1}));
  m.add("tokenizer.ggml.seperator_token_id", MetadataValue(uint32_t{2}));
  const Vocabulary v(m);
  EXPECT_EQ(v.bos(), 1);
  EXPECT_EQ(v.eos(), 2);
  EXPECT_TRUE(v.add_bos() && v.add_eos());
}

TEST(Vocabulary, RefusesMissingOrEmptyTokens) {
  expect_bad(without("tokenizer.ggml.tokens"), {"tokenizer.ggml.tokens"});
  expect_bad(without("tokenizer.ggml.model"), {"tokenizer.ggml.model"});
  expect_bad("tokenizer.ggml.tokens", MetadataValue(Strings{}), {"tokenizer.ggml.tokens", "0 tokens"});
  expect_bad("tokenizer.ggml.tokens", MetadataValue(std::vector<int32_t>{1}), {"tokenizer.ggml.tokens"});
}

TEST(Vocabulary, RefusesAPieceThatTwoTokensHave) {
  expect_bad("tokenizer.ggml.tokens", MetadataValue(Strings{"a", "b", "ab", "c", "abc", "b", "x", "y"}),
             {"tokenizer.ggml.tokens", "1 and 5", "\"b\""});
}

TEST(Vocabulary, RefusesListsOfAnotherLength) {
  expect_bad("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1}),
             {"tokenizer.ggml.token_type", "2 entries", "8"});
  expect_bad("tokenizer.ggml.scores", MetadataValue(std::vector<float>(9)),
             {"tokenizer.ggml.scores", "9 entries"});
}

TEST(Vocabulary, RefusesTypesOutsideOneToSix) {
  for (const int32_t type : {-1, 0, 7, std::numeric_limits<int32_t>::max()})
    expect_bad("tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1, 1, 1, type, 1, 1, 1, 1}),
               {"tokenizer.ggml.token_type", "token 3", std::to_string(type)});
  expect_bad("tokenizer.ggml.token_type", MetadataValue(std::vector<float>(8)),
             {"tokenizer.ggml.token_type"});
}

TEST(Vocabulary, RefusesScoresThatAreNotFinite) {
  std::vector<float> scores(8, -1.0f);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    scores[6] = bad;
    expect_bad("tokenizer.ggml.scores", MetadataValue(scores), {"tokenizer.ggml.scores", "token 6"});
  }
}

TEST(Vocabulary, RefusesIdsOutsideTheVocabulary) {
  for (const char* name : {"bos", "eos", "eot", "eom"}) {
    const std::string key = std::string("tokenizer.ggml.") + name + "_token_id";
    expect_bad(key, MetadataValue(uint32_t{8}), {key});
    expect_bad(key, MetadataValue(int32_t{-1}), {key});
    expect_bad(key, MetadataValue(std::numeric_limits<uint64_t>::max()), {key});
  }
}

TEST(Vocabulary, RefusesMergesThatAreNotTwoPieces) {
  for (const char* merge : {"ab", "", " ", " a", "a ", "a  b", "a b c"})
    expect_bad("tokenizer.ggml.merges", MetadataValue(Strings{"a b", merge}),
               {"tokenizer.ggml.merges", "entry 1"});
}

TEST(Vocabulary, RefusesMergesOfOrIntoUnknownPieces) {
  expect_bad("tokenizer.ggml.merges", MetadataValue(Strings{"x b"}),
             {"tokenizer.ggml.merges", "entry 0", "\"x\""});
  expect_bad("tokenizer.ggml.merges", MetadataValue(Strings{"a x"}),
             {"tokenizer.ggml.merges", "entry 0", "\"x\""});
  expect_bad("tokenizer.ggml.merges", MetadataValue(Strings{"b a"}),
             {"tokenizer.ggml.merges", "entry 0", "\"ba\""});
}

TEST(Vocabulary, RefusesAMergeThatOccursTwice) {
  expect_bad("tokenizer.ggml.merges", MetadataValue(Strings{"ab c", "a b", "ab c"}),
             {"tokenizer.ggml.merges", "0 and 2", "ab c"});
}

TEST(Vocabulary, RefusesToAddATokenThatTheFileDoesNotName) {
  Metadata m = without("tokenizer.ggml.bos_token_id");
  m.add("tokenizer.ggml.add_bos_token", MetadataValue(true));
  expect_bad(m, {"tokenizer.ggml.add_bos_token", "tokenizer.ggml.bos_token_id"});
  m = without("tokenizer.ggml.eos_token_id");
  m.add("tokenizer.ggml.add_eos_token", MetadataValue(true));
  expect_bad(m, {"tokenizer.ggml.add_eos_token", "tokenizer.ggml.eos_token_id"});
}

}  // namespace
}  // namespace kelda
