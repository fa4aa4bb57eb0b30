#include "chat/left_out.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kelda::chat {
namespace {

std::vector<std::string> told(std::string_view json, std::string_view rendered) {
  return left_out(parse_conversation_file(json).conversation, rendered);
}

TEST(LeftOut, NamesTheMessageThatIsNotThere) {
  const char* const talk =
      R"({"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": " U\n"}]})";
  EXPECT_EQ(told(talk, "S and U"), std::vector<std::string>{});
  ASSERT_EQ(told(talk, "[U]").size(), 1u);
  EXPECT_EQ(told(talk, "[U]")[0], "messages[0].content (role \"system\") is not in the rendering as it is");
  EXPECT_EQ(told(talk, "").size(), 2u);
}

TEST(LeftOut, LooksAtThePartsOfAContent) {
  const char* const parts = R"({"messages": [{"role": "user", "content":
      [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]}]})";
  EXPECT_EQ(told(parts, "one, two"), std::vector<std::string>{});
  ASSERT_EQ(told(parts, "one").size(), 1u);
  EXPECT_NE(told(parts, "one")[0].find("messages[0].content[2].text"), std::string::npos);
}

TEST(LeftOut, ToolsCallsAndDocumentsAreLookedFor) {
  const char* const tools =
      R"({"messages": [{"role": "user", "content": null}, {"role": "assistant", "content": "",
        "tool_calls": [{"function": {"name": "f3", "arguments": {}}}]}],
      "tools": [{"type": "function", "function": {"name": "f1", "description": "says \"x\""}}, {"name": "f2"}],
      "documents": [{"title": "T", "text": "words"}]})";
  EXPECT_EQ(told(tools, "f1 says \\\"x\\\" f2, T: words, f3"), std::vector<std::string>{});
  const std::vector<std::string> none = told(tools, "");
  ASSERT_EQ(none.size(), 5u);
  EXPECT_EQ(none[0].find("tools[0]: its name"), 0u);
  EXPECT_EQ(none[4].find("messages[1].tool_calls[0]: its name"), 0u);
  EXPECT_EQ(told(tools, "f1 f2 T words f3")[0].find("tools[0]: its description"), 0u);
}

TEST(LeftOut, HasAnEnd) {
  std::string talk = R"({"messages": [)";
  for (int i = 0; i < 1000; ++i)
    talk += fmt::format(R"({}{{"role": "user", "content": "{}{}"}})", i == 0 ? "" : ",",
                        std::string(1000, 'a'), i);
  EXPECT_EQ(told(talk + "]}", std::string(1000000, 'a')).size(), 9u);
}

}  // namespace
}  // namespace kelda::chat
