#include "text/tokenizer_json.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/utf8.h"
#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

using nlohmann::json;

std::string file_of(const json& golden, const json& c) {
  json tokenizer = c["tokenizer"];
  tokenizer["model"].update(golden["vocabularies"][c["vocabulary"].get<std::size_t>()]);
  return tokenizer.dump();
}

json case_named(const std::string& name) {
  const json golden = testing::golden("tokenizer_tiny.json");
  for (const json& c : golden["cases"])
    if (c["name"] == name) return json::parse(file_of(golden, c));
  ADD_FAILURE() << "no case " << name;
  return {};
}

// Every kind, normaliser, pre-tokenizer, behavior and flag of an added token (BR-050), each with its strings.
TEST(TokenizerJson, EqualsThePackageOnEveryHandMadeTokenizer) {
  const json golden = testing::golden("tokenizer_tiny.json");
  ASSERT_GE(golden["cases"].size(), 50u);
  for (const json& c : golden["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const auto t = read_tokenizer_json(file_of(golden, c));
    for (const json& row : c["rows"]) {
      const std::string text = row["text"];
      const std::vector<TokenId> parsed = row["ids"];
      EXPECT_EQ(t->encode(text, Special::kParse), parsed) << text;
      const std::vector<TokenId> plain = row.contains("ids_as_text") ? row["ids_as_text"] : row["ids"];
      EXPECT_EQ(t->encode(text, Special::kText), plain) << text;
      if (row.contains("decoded")) {
        EXPECT_EQ(t->decode(parsed, false), row["decoded"].get<std::string>()) << text;
      }
      const std::vector<TokenId> framed = row.contains("prompt") ? row["prompt"] : row["ids"];
      const EncodedPrompt prompt = t->encode_prompt(text, Special::kParse);
      if (!prompt.text_began_with_bos && !prompt.text_ended_with_eos) {
        EXPECT_EQ(prompt.ids, framed) << text;
      }
    }
  }
}

TEST(TokenizerJson, APostProcessorsTokensAreBosAndEos) {
  const auto t = read_tokenizer_json(case_named("BOS and EOS by a template").dump());
  EXPECT_EQ(t->vocabulary().piece(t->vocabulary().bos()), "<s>");
  EXPECT_EQ(t->vocabulary().piece(t->vocabulary().eos()), "</s>");
  EXPECT_TRUE(t->vocabulary().add_bos() && t->vocabulary().add_eos());
}

TEST(TokenizerJson, BatchSettingsAreNoPartOfATokenizer) {
  json file = case_named("byte-level");
  file["truncation"] = {{"max_length", 128}};
  file["padding"] = {{"strategy", "BatchLongest"}};
  EXPECT_NO_THROW(read_tokenizer_json(file.dump()));
  file["truncation"] = 7;
  EXPECT_THROW(read_tokenizer_json(file.dump()), Error);
}

TEST(TokenizerJson, WhatIsNotKnownIsRefusedByItsPath) {
  const auto expect = [](const json& file, std::string_view part) {
    try {
      read_tokenizer_json(file.dump());
      FAIL() << "accepted; expected " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  json file = case_named("byte-level");
  file["extra"] = 1;
  expect(file, "\"extra\"");
  file = case_named("byte-level");
  file["version"] = "2.0";
  expect(file, "version");
  file = case_named("byte-level");
  file["model"]["merges"].push_back({"zz", "qq"});
  expect(file, "model.merges");
  file = case_named("byte-level");
  file["model"]["merges"].push_back(file["model"]["merges"][0]);
  expect(file, "are both");
  file.erase("model");
  expect(file, "\"model\"");
  EXPECT_THROW(read_tokenizer_json("[]"), Error);
  EXPECT_THROW(read_tokenizer_json(""), Error);
}

TEST(TokenizerJson, AControlTokenThatMergesCouldMakeIsNotMadeByThem) {
  json file = case_named("byte-level");
  const std::string piece = "hello";
  ASSERT_TRUE(file["model"]["vocab"].contains(piece));
  file["added_tokens"].push_back(
      {{"id", file["model"]["vocab"][piece]}, {"content", piece}, {"special", true}});
  const auto t = read_tokenizer_json(file.dump());
  for (const TokenId id : t->encode("hello", Special::kText))
    EXPECT_NE(t->vocabulary().type(id), TokenType::kControl);
  EXPECT_EQ(t->encode("hello", Special::kParse).size(), 1u);
}

TEST(TokenizerJson, APatternThatTriesEverythingEndsInAnErrorNotInAHang) {
  json file = case_named("byte-level");
  file["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a|aa|a*)*(b|c)"}}}, {"behavior", "Isolated"}};
  const auto t = read_tokenizer_json(file.dump());
  EXPECT_THROW(t->encode(std::string(5000, 'a'), Special::kText), Error);
}

TEST(TokenizerJson, EveryPrefixAndManyMutationsOfAFileEndWell) {
  const std::string file = case_named("marks, a blank before each text").dump();
  const auto attempt = [](const std::string& bytes) {
    try {
      const auto t = read_tokenizer_json(bytes);
      t->decode(t->encode("<s>Hello  the cat\u00e9\n", Special::kParse), true);
    } catch (const Error&) {
      return;
    }
  };
  for (std::size_t n = 0; n < file.size(); n += 7) attempt(file.substr(0, n));
  std::mt19937 rng(3);
  for (int i = 0; i < 3000; ++i) {
    std::string mutated = file;
    for (std::size_t k = 1 + rng() % 4; k > 0; --k)
      mutated[rng() % mutated.size()] = "\"{}[]:,0129 ae\\<\x80"[rng() % 18];
    attempt(mutated);
  }
}

}  // namespace
}  // namespace kelda::text
