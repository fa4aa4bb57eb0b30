#include "context/turns.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

using Turns = std::vector<Turn>;

// Roles by their letters: s system, d developer, u user, a assistant, t tool.
Turns turns(const std::string& roles) {
  std::vector<chat::Message> messages;
  for (const char c : roles) {
    messages.push_back({c == 's'   ? "system"
                        : c == 'd' ? "developer"
                        : c == 'u' ? "user"
                        : c == 'a' ? "assistant"
                                   : "tool",
                        std::string(1, c)});
  }
  return droppable_turns(messages_of(talk(messages)));
}

TEST(Turns, GoTogetherFromOneMessageOfTheUserToTheNext) {
  EXPECT_EQ(turns("u"), Turns{});
  EXPECT_EQ(turns("su"), Turns{});
  EXPECT_EQ(turns("uau"), (Turns{{0, 1}}));
  EXPECT_EQ(turns("suauau"), (Turns{{1, 2}, {3, 4}}));
  EXPECT_EQ(turns("auau"), (Turns{{0}, {1, 2}})) << "a greeting is a turn of its own";
  EXPECT_EQ(turns("suasau"), (Turns{{1, 2, 4}})) << "a system message within a turn stays";
  EXPECT_EQ(turns("duau"), (Turns{{1, 2}}));
}

TEST(Turns, ACallAndItsResultGoTogether) {
  EXPECT_EQ(turns("uatau"), (Turns{{0, 1, 2, 3}}));
  EXPECT_EQ(turns("uattuau"), (Turns{{0, 1, 2, 3}, {4, 5}}));
}

TEST(Turns, AfterTheLastMessageOfTheUserTheLatestCallStays) {
  EXPECT_EQ(turns("uat"), Turns{});
  EXPECT_EQ(turns("uatat"), (Turns{{1, 2}}));
  EXPECT_EQ(turns("uauattatat"), (Turns{{0, 1}, {3, 4, 5}, {6, 7}}));
}

TEST(Turns, WithoutAUserTheLastGroupStays) {
  EXPECT_EQ(turns("s"), Turns{});
  EXPECT_EQ(turns("sata"), (Turns{{1, 2}}));
}

TEST(Turns, TakeApartAConversation) {
  const auto messages =
      messages_of(talk({{"system", "s"}, {"user", "1"}, {"assistant", "2"}, {"user", "3"}}));
  const Turns all = droppable_turns(messages);
  EXPECT_EQ(without(messages, all).size(), 2u);
  EXPECT_EQ(transcript(only(messages, all)), "User: 1\n\nAssistant: 2");
}

}  // namespace
}  // namespace kelda::context
