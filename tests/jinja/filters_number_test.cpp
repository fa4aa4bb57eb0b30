#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(NumberFilters, GivesWhatJinja2Gives) { expect_golden("filters_number"); }

TEST(NumberFilters, NumbersOfTheConversationStayInput) {
  EXPECT_EQ(marked("{{ n|abs }}{{ m|int }}{{ 3|abs }}", R"({"m": "5", "n": -4})"), "45‹3›");
}

}  // namespace
}  // namespace kelda::jinja
