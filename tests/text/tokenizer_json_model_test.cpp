#include "text/tokenizer_json_model.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::text {
namespace {

JsonModel read(const std::string& model, const std::string& added = "[]") {
  const JsonDocument m(model), a(added);
  const JsonView model_view = m.at("model"), list = a.at("added_tokens");
  JsonModel out = read_model(model_view, &list);
  out.parts.merges.clear();  // views into the document, which ends here
  return out;
}

std::string bpe(const std::string& vocab, const std::string& merges, const std::string& more = "") {
  return fmt::format(R"({{"type":"BPE","vocab":{},"merges":{}{}}})", vocab, merges, more);
}

void expect_error(ErrorCode code, std::string_view part, const std::string& model,
                  const std::string& added = "[]") {
  try {
    read(model, added);
    FAIL() << "accepted; expected " << part;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(TokenizerJsonModel, PiecesStandAtTheirIds) {
  const JsonModel m =
      read(bpe(R"({"b":1,"a":0})", "[]", R"(,"byte_fallback":true,"fuse_unk":true,"unk_token":"b")"),
           R"([{"id":2,"content":"<s>","special":true},{"id":1,"content":"b","special":false}])");
  EXPECT_EQ(m.parts.pieces, (std::vector<std::string>{"a", "b", "<s>"}));
  EXPECT_EQ(m.parts.types[2], TokenType::kControl);
  EXPECT_EQ(m.parts.types[1], TokenType::kUserDefined);
  EXPECT_TRUE(m.bpe.byte_fallback && m.bpe.fuse_unknown && !m.bpe.ignore_merges);
  EXPECT_EQ(m.bpe.unknown, 1);
  EXPECT_FALSE(m.added[0].normalized);
  EXPECT_TRUE(m.added[1].normalized);
}

TEST(TokenizerJsonModel, IdsHaveNoGapsAndNoDoubles) {
  const auto bad = ErrorCode::kBadInput;
  expect_error(bad, "no gaps", bpe(R"({"a":0,"b":2})", "[]"));
  expect_error(bad, "no gaps", bpe(R"({"a":1})", "[]"));
  expect_error(bad, "no token has the id 1", bpe(R"({"a":0,"b":2})", "[]"), R"([{"id":0,"content":"a"}])");
  expect_error(bad, "no gaps", bpe(R"({"a":0})", "[]"), R"([{"id":2000000000,"content":"x"}])");
  expect_error(bad, "both have the id 0", bpe(R"({"a":0,"b":0})", "[]"));
  expect_error(bad, "from 0 to", bpe(R"({"a":2147483648})", "[]"));
  expect_error(bad, "from 0 to", bpe(R"({"a":-1})", "[]"));
  expect_error(bad, "from 0 to", bpe(R"({"a":0.5})", "[]"));
  expect_error(bad, "added_tokens[0]", bpe(R"({"a":0})", "[]"), R"([{"id":0,"content":"x"}])");
  expect_error(bad, "added_tokens[0].id", bpe(R"({"a":0})", "[]"), R"([{"id":2147483648,"content":"x"}])");
}

TEST(TokenizerJsonModel, MalformedListsAreNamed) {
  const auto bad = ErrorCode::kBadInput;
  expect_error(bad, "added_tokens[0].content", bpe(R"({"a":0})", "[]"), R"([{"id":1,"content":""}])");
  expect_error(bad, "model.merges[0]", bpe(R"({"a":0})", R"(["aa"])"));
  expect_error(bad, "model.merges[1]", bpe(R"({"a":0})", R"(["a a","a b c"])"));
  expect_error(bad, "model.merges[0]", bpe(R"({"a":0})", R"([["a"]])"));
  expect_error(bad, "model.merges[0]", bpe(R"({"a":0})", R"([["a",""]])"));
  expect_error(bad, "model.merges[0]", bpe(R"({"a":0})", R"([7])"));
  expect_error(bad, "model.unk_token", bpe(R"({"a":0})", "[]", R"(,"unk_token":"?")"));
  expect_error(bad, "\"merges\"", R"({"type":"BPE","vocab":{"a":0}})");
  expect_error(bad, "unk_token", R"({"type":"WordPiece","vocab":{"a":0}})");
}

TEST(TokenizerJsonModel, WhatIsNotImplementedIsRefusedByName) {
  const auto unsupported = ErrorCode::kUnsupported;
  expect_error(unsupported, "model.type: \"Unigram\"", R"({"type":"Unigram","vocab":[]})");
  expect_error(unsupported, "model.dropout", bpe(R"({"a":0})", "[]", R"(,"dropout":0.1)"));
  expect_error(unsupported, "model.end_of_word_suffix",
               bpe(R"({"a":0})", "[]", R"(,"end_of_word_suffix":"</w>")"));
  expect_error(unsupported, "\"novelty\"", bpe(R"({"a":0})", "[]", R"(,"novelty":null)"));
  expect_error(unsupported, "added_tokens[0] has a field \"x\"", bpe(R"({"a":0})", "[]"),
               R"([{"id":1,"content":"b","x":1}])");
}

}  // namespace
}  // namespace kelda::text
