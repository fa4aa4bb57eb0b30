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

}  // namespace
}  // namespace kelda::jinja
