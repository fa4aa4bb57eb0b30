#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Repr, GivesWhatJinja2Gives) { expect_golden("repr"); }

TEST(Repr, ListsOfTheConversationStayInput) {
  EXPECT_EQ(marked("{{ m }}", R"({"m": ["a", 1]})"), "['a', 1]");
  EXPECT_EQ(marked("{{ [m] }}"), "‹[›'INPUT'‹]›");
}

}  // namespace
}  // namespace kelda::jinja
