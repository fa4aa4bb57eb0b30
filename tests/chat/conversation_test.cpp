#include "chat/conversation.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::chat {
namespace {

std::string error_of(std::string_view json) {
  try {
    parse_conversation_file(json);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error: " << json;
  return "";
}

TEST(ConversationFile, TakesEveryField) {
  const ConversationFile f = parse_conversation_file(R"({
      "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": null, "tool_calls": []}],
      "tools": [{"type": "function"}], "documents": [{"title": "t"}], "add_generation_prompt": false,
      "chat_template_kwargs": {"enable_thinking": false}, "tokens": {"bos_token": "<s>"},
      "now": "2026-01-02T03:04:05"})");
  EXPECT_EQ(f.conversation.messages.items().size(), 2u);
  EXPECT_EQ(f.conversation.tools.items().size(), 1u);
  EXPECT_EQ(f.conversation.documents.items().size(), 1u);
  EXPECT_FALSE(f.conversation.add_generation_prompt);
  ASSERT_NE(f.conversation.variables.find("enable_thinking"), nullptr);
  EXPECT_EQ(f.tokens.find("bos_token")->str(), "<s>");
  EXPECT_EQ(f.now->time_since_epoch(), std::chrono::seconds(1767323045));
}

// Only what the template's author wrote may act as a marker.
TEST(ConversationFile, MessagesAreInputAndTokensAreOwned) {
  const ConversationFile f = parse_conversation_file(
      R"({"messages": [{"role": "user", "content": "a"}], "tokens": {"bos_token": "<s>"}})");
  const jinja::Value* content = f.conversation.messages.items()[0].as_dict().find("content");
  EXPECT_EQ(content->as_text().provenance(), jinja::Provenance::kInput);
  EXPECT_EQ(f.tokens.find("bos_token")->as_text().provenance(), jinja::Provenance::kOwned);
  const Conversation made = conversation_of({{"user", "b"}});
  EXPECT_EQ(made.messages.items()[0].as_dict().find("content")->as_text().provenance(),
            jinja::Provenance::kInput);
}

TEST(ConversationFile, AbsentToolsAreNone) {
  EXPECT_TRUE(parse_conversation_file(R"({"messages": [{"role": "user"}], "tools": null})")
                  .conversation.tools.is_missing());
}

TEST(ConversationFile, EveryFaultNamesItsField) {
  const auto names = [](std::string_view json, std::string_view part) {
    const std::string message = error_of(json);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  names("[]", "object");
  names("{", "JSON");
  names("{}", "messages: is missing");
  names(R"({"messages": []})", "messages: at least one");
  names(R"({"messages": "x"})", "messages: must be a list");
  names(R"({"messages": ["x"]})", "messages[0]");
  names(R"({"messages": [{"role": "user"}, {"content": "x"}]})", "messages[1].role: is missing");
  names(R"({"messages": [{"role": 5}]})", "messages[0].role");
  names(R"({"messages": [{"role": ""}]})", "messages[0].role");
  const std::string one = R"({"messages": [{"role": "user", "content": "x"}], )";
  names(one + R"("tools": {}})", "tools: must be a list");
  names(one + R"("tools": [1]})", "tools[0]");
  names(one + R"("add_generation_prompt": 1})", "add_generation_prompt");
  names(one + R"("chat_template_kwargs": []})", "chat_template_kwargs");
  names(one + R"("chat_template_kwargs": {"messages": []}})", "chat_template_kwargs.messages");
  names(one + R"("tokens": {"bos_token": 1}})", "tokens.bos_token");
  names(one + R"("template": "x"})", "\"template\"");
  for (const char* now : {"2026-13-02T03:04:05", "2026-02-30T03:04:05", "2026-01-02 03:04:05",
                          "2026-01-02T24:04:05", "", "2026-01-02T03:04:0x", "-026-01-02T03:04:05"})
    names(one + R"("now": ")" + now + R"("})", "now: must be a time");
}

TEST(ConversationFile, CountsAreBounded) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxMessages; ++i) many += R"({"role": "user", "content": ""},)";
  many.pop_back();
  EXPECT_NE(error_of(R"({"messages": [)" + many + "]}").find("2049 are given and at most 2048"),
            std::string::npos);
  EXPECT_THROW(conversation_of({}), Error);
}

// BR-056: half a surrogate pair is no character.
TEST(ConversationFile, ALoneSurrogateIsBadInput) {
  error_of(R"({"messages": [{"role": "user", "content": "emoji \ud83d"}]})");
  error_of(R"({"messages": [{"role": "user", "content": "x \ude00 y"}]})");
  EXPECT_EQ(parse_conversation_file(R"({"messages": [{"role": "user", "content": "\ud83d\ude00"}]})")
                .conversation.messages.items()[0]
                .as_dict()
                .find("content")
                ->str(),
            "\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace kelda::chat
