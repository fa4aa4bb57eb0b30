#include "engine/model_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "files/scratch_file.h"

namespace kelda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizer =
    R"({"version": "1.0", "added_tokens": [
          {"id": 3, "content": "<|end|>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
                  "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}})";

class ModelTextTest : public testing::Test {
 protected:
  ModelTextTest() { put("tokenizer.json", kTokenizer); }
  void put(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string refusal(int32_t n_tokens = 0) const {
    try {
      read_text_of_folder(folder_, n_tokens);
    } catch (const Error& e) {
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  const ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(ModelTextTest, ATokenizerAloneIsEnough) {
  const ModelText text = read_text_of_folder(folder_, 0);
  EXPECT_EQ(text.tokenizer->encode("aba", text::Special::kText), (std::vector<TokenId>{2, 0}));
  EXPECT_TRUE(text.chat_template->is_fallback());
}

TEST_F(ModelTextTest, RowsOfTheEmbeddingWithoutAPieceAreUnusedIds) {
  const ModelText text = read_text_of_folder(folder_, 6);
  const Vocabulary& v = text.tokenizer->vocabulary();
  EXPECT_EQ(v.size(), 6);
  EXPECT_EQ(v.type(5), TokenType::kUnused);
  EXPECT_EQ(text.tokenizer->encode("[PAD5]a", text::Special::kParse).back(), 0);
  EXPECT_NE(refusal(2).find("it has 4 tokens, the model 2"), std::string::npos);
}

// As of Gemma 3's "<image_soft_token>" in models of text alone.
TEST_F(ModelTextTest, AnAddedTokenWithoutARowIsNone) {
  const ModelText text = read_text_of_folder(folder_, 3);
  EXPECT_EQ(text.tokenizer->vocabulary().size(), 3);
  for (const TokenId id : text.tokenizer->encode("a<|end|>b", text::Special::kParse)) EXPECT_LT(id, 3);
  put("tokenizer_config.json", R"({"eos_token": "<|end|>"})");
  EXPECT_NE(refusal(3).find("eos_token of tokenizer_config.json: no token is \"<|end|>\""),
            std::string::npos);
}

TEST_F(ModelTextTest, TheOtherFilesSayWhatEndsAnAnswer) {
  put("tokenizer_config.json", R"({"eos_token": {"content": "<|end|>"}, "bos_token": null})");
  put("generation_config.json", R"({"eos_token_id": [3, 1], "temperature": 0.6})");
  const ModelText text = read_text_of_folder(folder_, 0);
  const Vocabulary& v = text.tokenizer->vocabulary();
  EXPECT_EQ(v.eos(), 3);
  EXPECT_EQ(v.bos(), -1);
  EXPECT_FALSE(v.add_eos());  // only the post-processor puts it around a text
  EXPECT_EQ(v.end_tokens(), (std::vector<TokenId>{1, 3}));
}

TEST_F(ModelTextTest, AnIdOrPieceThatIsNotThereIsNamed) {
  put("generation_config.json", R"({"eos_token_id": 9})");
  EXPECT_NE(refusal().find("eos_token_id"), std::string::npos) << refusal();
  EXPECT_TRUE(refusal(4).starts_with((folder_ / "generation_config.json").string() + ": eos_token_id is 9"))
      << refusal(4);
  put("generation_config.json", "{}");
  put("tokenizer_config.json", R"({"eos_token": "<|nosuch|>"})");
  EXPECT_NE(refusal().find("<|nosuch|>"), std::string::npos) << refusal();
}

TEST_F(ModelTextTest, WithoutGenerationSettingsTheNetworksSayWhatEndsAnAnswer) {
  const auto ends = [&] { return read_text_of_folder(folder_, 4).tokenizer->vocabulary().end_tokens(); };
  put("config.json", R"({"eos_token_id": [2]})");
  EXPECT_EQ(ends(), (std::vector<TokenId>{2, 3}));  // <|end|> ends an answer by its name
  put("config.json", R"({"eos_token_id": 4})");
  EXPECT_TRUE(refusal(4).starts_with((folder_ / "config.json").string() + ": eos_token_id is 4"))
      << refusal(4);
  put("config.json", R"({"eos_token_id": "end"})");
  EXPECT_NE(refusal(4).find("config.json: eos_token_id"), std::string::npos) << refusal(4);
  put("generation_config.json", R"({"eos_token_id": 1})");
  EXPECT_EQ(ends(), (std::vector<TokenId>{1, 3})) << "where there are such, only they count";
}

TEST_F(ModelTextTest, ABrokenTemplateIsNamedByItsFile) {
  const auto finding = [&] { return read_text_of_folder(folder_, 0).chat_template->findings().at(0); };
  put("tokenizer_config.json", R"({"chat_template": "{% if %}"})");
  EXPECT_NE(finding().find("tokenizer_config.json"), std::string::npos) << finding();
  put("chat_template.jinja", "{% if %}");
  EXPECT_NE(finding().find("chat_template.jinja"), std::string::npos) << finding();
}

TEST_F(ModelTextTest, TheChatTemplateComesFromWhereItIs) {
  put("tokenizer_config.json", R"({"chat_template": "{{ 'one' }}"})");
  EXPECT_EQ(read_text_of_folder(folder_, 0).chat_template->source(), "{{ 'one' }}");
  put("tokenizer_config.json",
      R"({"chat_template": [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "two"}]})");
  EXPECT_EQ(read_text_of_folder(folder_, 0).chat_template->source(), "two");
  put("chat_template.jinja", "three");  // newer, goes before
  EXPECT_EQ(read_text_of_folder(folder_, 0).chat_template->source(), "three");
}

TEST_F(ModelTextTest, ErrorsBeginWithTheFile) {
  put("tokenizer_config.json", "{");
  EXPECT_TRUE(refusal().starts_with((folder_ / "tokenizer_config.json").string())) << refusal();
  fs::remove(folder_ / "tokenizer_config.json");
  put("tokenizer.json", "[]");
  EXPECT_TRUE(refusal().starts_with((folder_ / "tokenizer.json").string())) << refusal();
  fs::remove(folder_ / "tokenizer.json");
  EXPECT_NE(refusal().find("there is no tokenizer.json"), std::string::npos);
}

}  // namespace
}  // namespace kelda
