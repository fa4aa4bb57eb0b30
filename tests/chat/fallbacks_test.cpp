#include "chat/fallbacks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chat/chat_template.h"
#include "models/tiny_model.h"

namespace kelda::chat {
namespace {

jinja::Dict tokens() {
  jinja::Dict d;
  d.set("bos_token", jinja::Value::string("<bos>", jinja::Provenance::kOwned));
  return d;
}

TEST(Fallbacks, EachPassesTheTrial) {
  for (const Fallback& f : fallbacks()) {
    const ChatTemplate t(std::string(f.source), std::string(f.name), tokens());
    EXPECT_TRUE(t.findings().empty()) << f.name << ": " << t.findings().front();
  }
}

TEST(Fallbacks, EachWritesItsForm) {
  const std::vector<Message> talk = {{"system", "S"}, {"user", "U"}, {"assistant", "A"}, {"user", "V"}};
  const auto text = [&](std::size_t i) {
    const Fallback& f = fallbacks()[i];
    return ChatTemplate(std::string(f.source), "t", tokens()).render(conversation_of(talk), {}).text;
  };
  EXPECT_EQ(
      text(0),
      "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n"
      "<|im_start|>user\nV<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(text(1),
            "<bos><start_of_turn>user\nS\n\nU<end_of_turn>\n<start_of_turn>model\nA<end_of_turn>\n"
            "<start_of_turn>user\nV<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_EQ(text(2),
            "<bos><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nV<|eot_id|><|start_header_id|>assistant<|end_header_"
            "id|>\n\n");
  EXPECT_EQ(text(3), "System: S\n\nUser: U\n\nAssistant: A\n\nUser: V\n\nAssistant:");
}

TEST(Fallbacks, RefuseWhatTheyWouldLeaveOut) {
  const auto fault = [](std::size_t i, std::string_view json) {
    return fault_of(fallbacks()[i], parse_conversation_file(json).conversation);
  };
  const char* const bad[] = {
      R"({"messages": [{"role": "user", "content": "a"}], "tools": [{"name": "t"}]})",
      R"({"messages": [{"role": "user", "content": "a"}], "documents": [{}]})",
      R"({"messages": [{"role": "tool", "content": "a"}]})",
      R"({"messages": [{"role": "user"}]})",
      R"({"messages": [{"role": "user", "content": "a"}], "chat_template_kwargs": {"enable_thinking": true}})",
      R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]})",
      R"({"messages": [{"role": "assistant", "content": "a", "tool_calls": [{}]}]})",
  };
  for (std::size_t i = 0; i < fallbacks().size(); ++i) {
    for (const char* json : bad) EXPECT_NE(fault(i, json), "") << fallbacks()[i].name << ' ' << json;
    EXPECT_EQ(fault(i, R"({"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b",
                           "tool_calls": null}], "tools": []})"),
              "");
  }
  const char* const late =
      R"({"messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]})";
  EXPECT_EQ(fault(0, late), "");
  EXPECT_NE(fault(1, late), "");
  EXPECT_NE(
      fault(1,
            R"({"messages": [{"role": "system", "content": "b"}, {"role": "assistant", "content": "c"}]})"),
      "");
  EXPECT_NE(fault(1, R"({"messages": [{"role": "system", "content": "b"}]})"), "");
}

TEST(Fallbacks, AVocabularyWithoutMarkersGetsTheLast) {
  Metadata m = testing::tiny_metadata(*models::find_family("llama"), {});
  EXPECT_EQ(choose_fallback(Vocabulary(m)).name, "chatml");
  std::vector<std::string> tokens = *m.strings("tokenizer.ggml.tokens");
  std::replace(tokens.begin(), tokens.end(), std::string("<|im_start|>"), std::string("<|begin|>"));
  m.set("tokenizer.ggml.tokens", MetadataValue::Variant(tokens));
  EXPECT_EQ(choose_fallback(Vocabulary(m)).name, fallbacks().back().name);
}

}  // namespace
}  // namespace kelda::chat
