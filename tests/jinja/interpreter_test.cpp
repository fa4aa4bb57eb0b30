#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Interpreter, GivesWhatJinja2Gives) { expect_golden("interpreter"); }

TEST(Interpreter, BlocksKeepWhoWroteWhat) {
  EXPECT_EQ(marked("a{{ m }}b"), "‹a›INPUT‹b›");
  EXPECT_EQ(marked("{% set x %}a{{ m }}{% endset %}{{ x }}{{ x|upper }}"), "‹a›INPUT‹A›INPUT");
  EXPECT_EQ(marked("{% macro f(v) %}<{{ v }}>{% endmacro %}{{ f(m) }}"), "‹<›INPUT‹>›");
  EXPECT_EQ(marked("{% filter trim %} {{ m }}! {% endfilter %}"), "INPUT‹!›");
  EXPECT_EQ(marked("{% generation %}{{ m }}.{% endgeneration %}"), "INPUT‹.›");
  EXPECT_EQ(marked("{% for c in m[:2] %}{{ c }}-{% endfor %}"), "I‹-›N‹-›");
}

}  // namespace
}  // namespace kelda::jinja
