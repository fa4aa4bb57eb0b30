#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(SequenceFilters, GivesWhatJinja2Gives) { expect_golden("filters_sequence"); }

TEST(SequenceFilters, JoinKeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ [m, 'a', m]|join('-') }}"), "INPUT‹-a-›INPUT");
  EXPECT_EQ(marked("{{ ['a', 'b']|join(m) }}"), "‹a›INPUT‹b›");
  EXPECT_EQ(marked("{{ ('a' ~ m)|reverse }}"), "TUPNI‹a›");
}

}  // namespace
}  // namespace kelda::jinja
