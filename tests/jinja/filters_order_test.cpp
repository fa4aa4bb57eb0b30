#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(OrderFilters, GivesWhatJinja2Gives) { expect_golden("filters_order"); }

TEST(OrderFilters, SortingStandsAnyOrder) {
  EXPECT_EQ(text_of("{{ range(1000)|map('string')|sort|length }}"), "1000");
  EXPECT_EQ(text_of("{{ [2, 1, 'inf'|float, 'nan'|float, 0]|sort|length }}"), "5");
}

}  // namespace
}  // namespace kelda::jinja
