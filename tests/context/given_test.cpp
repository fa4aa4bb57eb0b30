#include "context/given.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

TEST(Given, IsWhatTheModelReads) {
  EXPECT_EQ(rendered(talk({{"system", "s"}, {"user", "hi"}})), "<system>s</><user  >hi</><next>");
  EXPECT_EQ(count(talk({{"user", "hi"}})), kAroundMessage + kGenerationPrompt + 2);
  EXPECT_EQ(rendered(raw("hi")), "hi");
  EXPECT_TRUE(raw("hi").is_raw());
  EXPECT_EQ(rendered(asked_like(talk({{"user", "x"}}), "why?")), "<user  >why?</><next>");
  EXPECT_EQ(rendered(asked_like(raw("x"), "why?")), "why?");
}

TEST(Given, TheLongestTextIsFoundAndChanged) {
  const Given given =
      talk({{"system", std::string(50, 's')}, {"user", "short"}, {"assistant", "a bit longer"}});
  const auto place = longest_text(given);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->message, 2u) << "a system message is not touched, however long";
  EXPECT_EQ(text_at(given, *place), "a bit longer");
  EXPECT_TRUE(mentions(rendered(with_text(given, *place, "now")), "<assist>now</>"));
  EXPECT_TRUE(mentions(rendered(with_text_before(given, 1, "mark")), "<user  >mark\n\nshort</>"));
  EXPECT_FALSE(longest_text(talk({{"system", "s"}, {"user", ""}})));
}

TEST(Given, ContentMayBeParts) {
  const Given given = talk_of_json(
      R"({"messages": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "look here"}]}]})");
  const auto place = longest_text(given);
  ASSERT_TRUE(place && place->part);
  EXPECT_EQ(*place->part, 1u);
  EXPECT_EQ(text_at(with_text(given, *place, "cut"), *place), "cut");
  const Given marked = with_text_before(given, 0, "mark");
  const auto& parts = messages_of(marked)[0].as_dict().find("content")->items();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].as_dict().find("text")->str(), "mark\n\n");
}

TEST(Given, ATranscriptNamesWhoSpoke) {
  const Given given = talk_of_json(R"({"messages": [{"role": "user", "content": "hi"},
      {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f"}}]},
      {"role": "tool", "content": "7"}]})");
  EXPECT_EQ(transcript(messages_of(given)),
            "User: hi\n\nAssistant: calls [{\"function\": {\"name\": \"f\"}}]\n\nTool: 7");
}

}  // namespace
}  // namespace kelda::context
