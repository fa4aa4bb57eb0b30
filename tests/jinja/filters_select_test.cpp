#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(SelectFilters, GivesWhatJinja2Gives) { expect_golden("filters_select"); }

TEST(SelectFilters, ChainsOfGeneratorsAreBounded) {
  const std::string chain =
      "{% set ns = namespace(g=[1]) %}{% for i in range(5000) %}{% set ns.g = ns.g|map('string') %}{% endfor "
      "%}{{ ns.g|list }}";
  EXPECT_NE(error_of(chain).find("value_depth"), std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
