#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ValueFilters, GivesWhatJinja2Gives) { expect_golden("filters_value"); }

TEST(ValueFilters, ToJsonKeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ m|tojson }}"), "\"INPUT\"");
  EXPECT_EQ(marked("{{ {'k': m}|tojson }}"), "‹{\"k\": ›\"INPUT\"‹}›");
  EXPECT_EQ(marked("{{ m|tojson }}", R"({"m": {"a": [1, null]}})"), "{\"a\": [1, null]}");
  EXPECT_EQ(marked("{{ x|default('d') }}{{ ''|default(m, true) }}"), "‹d›INPUT");
}

TEST(ValueFilters, ToJsonKeepsWhoWroteSeparatorsAndIndents) {
  EXPECT_EQ(marked("{{ [1, 2]|tojson(separators=(m, ':')) }}"), "‹[1›INPUT‹2]›");
  EXPECT_EQ(marked("{{ {'a': 1}|tojson(separators=(',', m)) }}"), "‹{\"a\"›INPUT‹1}›");
  EXPECT_EQ(marked("{{ [1]|tojson(indent=m) }}"), "‹[\n›INPUT‹1\n]›");
  EXPECT_EQ(marked("{{ [1]|tojson(indent=n) }}", R"({"n": 1})"), "‹[\n› ‹1\n]›");
  EXPECT_EQ(marked("{{ n|tojson(separators=('X', ':')) }}", R"({"n": [1, 2]})"), "[1X2]");
}

}  // namespace
}  // namespace kelda::jinja
