#include "chat/left_out.h"

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

TEST(LeftOut, ToolsAreThereWhenOneIsNamed) {
  const char* const tools = R"({"messages": [{"role": "user", "content": null}, {"role": "assistant"}],
      "tools": [{"type": "function", "function": {"name": "f1"}}, {"name": "f2"}]})";
  EXPECT_EQ(told(tools, "f2"), std::vector<std::string>{});
  ASSERT_EQ(told(tools, "nothing").size(), 1u);
  EXPECT_EQ(told(R"({"messages": [{"role": "user"}], "tools": [{"odd": 1}]})", ""),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace kelda::chat
