#include "text/tokenizer_json_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::text {
namespace {

// What the steps do is held against the package by tokenizer_json_test; here, what is refused, and by what
// path.
template <typename Read>
void expect_error(std::string_view part, const std::string& json, Read&& read,
                  ErrorCode code = ErrorCode::kUnsupported) {
  const JsonDocument d(json);
  try {
    read(d.at("x"));
    FAIL() << "accepted; expected " << part;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(TokenizerJsonRules, UnknownTypesFieldsAndValuesAreNamed) {
  expect_error("x.type: \"Precompiled\"", R"({"type":"Precompiled","precompiled_charsmap":""})",
               read_normalizer);
  expect_error("x.normalizers[1].type: \"Nmt\"",
               R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Nmt"}]})", read_normalizer);
  expect_error("\"speed\"", R"({"type":"NFC","speed":1})", read_normalizer);
  expect_error("x.type: \"UnicodeScripts\"", R"({"type":"UnicodeScripts"})", read_pre_tokenizer);
  expect_error("x.behavior", R"({"type":"Split","pattern":{"String":"a"},"behavior":"Odd","invert":false})",
               read_pre_tokenizer);
  expect_error("x.prepend_scheme", R"({"type":"Metaspace","replacement":"_","prepend_scheme":"later"})",
               read_pre_tokenizer);
  expect_error("x.type: \"CTC\"", R"({"type":"CTC"})", read_decoder);
  expect_error("x.type: \"Wrap\"", R"({"type":"Wrap"})", read_post_processor);
}

TEST(TokenizerJsonRules, PatternsThatCannotBeFollowedAreNamed) {
  const auto with = [](const std::string& regex) {
    return R"({"type":"Split","pattern":{"Regex":")" + regex + R"("},"behavior":"Isolated"})";
  };
  expect_error("x.pattern: regular expression", with("a("), read_pre_tokenizer);
  expect_error("no pinned table", with("\\\\p{Cyrillic}"), read_pre_tokenizer);
  expect_error("brackets inside", with("[a[b]]"), read_pre_tokenizer);
  expect_error("\"&&\"", with("[a-z&&b]"), read_pre_tokenizer);
  expect_error("x.pattern.String is empty", R"({"type":"Replace","pattern":{"String":""},"content":""})",
               read_normalizer, ErrorCode::kBadInput);
}

TEST(TokenizerJsonRules, SequencesMayNestButNotWithoutEnd) {
  std::string json = R"({"type":"NFC"})";
  for (int i = 0; i < 6; ++i) json = R"({"type":"Sequence","normalizers":[)" + json + "," + json + "]}";
  expect_error("steps", json, read_normalizer);
  const JsonDocument d(
      R"({"type":"Sequence","normalizers":[{"type":"Sequence","normalizers":[{"type":"NFC"}]}]})");
  EXPECT_EQ(read_normalizer(d.at("x")).size(), 1u);
}

TEST(TokenizerJsonRules, DecodersThatSpeakOfOneTextAreUnderstood) {
  const JsonDocument d(
      R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},
      {"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]})");
  const DecoderRules r = read_decoder(d.at("x"));
  EXPECT_EQ(r.kind, DecoderRules::Kind::kMetaspace);
  EXPECT_EQ(r.mark, "▁");
  EXPECT_EQ(r.at_start, DecoderRules::Drop::kOneBlank);
  expect_error("only one blank", R"({"type":"Strip","content":" ","start":1,"stop":0})", read_decoder);
  expect_error("after another decoder",
               R"({"type":"Sequence","decoders":[{"type":"ByteLevel"},{"type":"WordPiece"}]})", read_decoder);
}

TEST(TokenizerJsonRules, PostProcessorsNameWhatFramesAText) {
  const auto envelope = [](const std::string& json) {
    const JsonDocument d(json);
    return read_post_processor(d.at("x"));
  };
  const Envelope bert = envelope(R"({"type":"BertProcessing","sep":["[SEP]",102],"cls":["[CLS]",101]})");
  EXPECT_EQ(bert.before, "[CLS]");
  EXPECT_EQ(bert.after, "[SEP]");
  const std::string tokens = R"("special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]}})";
  const std::string bos = R"({"SpecialToken":{"id":"<s>","type_id":0}})",
                    text = R"({"Sequence":{"id":"A","type_id":0}})";
  EXPECT_EQ(envelope(R"({"type":"TemplateProcessing","single":[)" + bos + "," + text + "],\"pair\":[]," +
                     tokens + "}")
                .before,
            "<s>");
  expect_error(
      "more than one token",
      R"({"type":"TemplateProcessing","single":[)" + bos + "," + bos + "," + text + "]," + tokens + "}",
      read_post_processor);
  expect_error("has no text", R"({"type":"TemplateProcessing","single":[)" + bos + "]," + tokens + "}",
               read_post_processor, ErrorCode::kBadInput);
  expect_error("\"<s>\"",
               R"({"type":"TemplateProcessing","single":[)" + bos + "," + text + R"(],"special_tokens":{}})",
               read_post_processor, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kelda::text
