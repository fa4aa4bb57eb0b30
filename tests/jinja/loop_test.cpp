#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Loop, GivesWhatJinja2Gives) { expect_golden("loop"); }

constexpr const char* kStored = "{% set ns = namespace(l=none) %}";

// A loop that was stored is used after the macro that ran it: its variables must still be there.
TEST(Loop, OutlivesTheMacroThatRanIt) {
  EXPECT_EQ(
      text_of(
          std::string(kStored) +
          "{% macro m(x) %}{% set y = 'Y' %}{% for i in x recursive %}{% set ns.l = loop %}[{{ i }}{{ y }}]"
          "{% endfor %}{% endmacro %}{{ m([1]) }}{{ ns.l([7]) }}"),
      "[1Y][7Y]");
  EXPECT_EQ(text_of(std::string(kStored) +
                    "{% macro m(x) %}{% set y = 1 %}{% for i in x if i > y %}{% set ns.l = loop %}{% break %}"
                    "{% endfor %}{% endmacro %}{{ m([1, 2, 3, 4]) }}{{ ns.l.last }}{{ ns.l.nextitem }}"),
            "False3");
  // In a list, through a bound method, inside another recursive loop, and on the way out of an error.
  EXPECT_EQ(
      text_of(std::string(kStored) +
              "{% macro m(x) %}{% set y = 'Y' %}{% for i in x recursive %}{% set ns.l = [loop.cycle, loop] %}"
              "{{ i }}{{ y }}{% endfor %}{% endmacro %}{{ m([1]) }}{{ ns.l[0](5) }}{{ ns.l[1]([8]) }}"),
      "1Y58Y");
  EXPECT_EQ(text_of(std::string(kStored) +
                    "{% for a in [1] recursive %}{% set y = 'Y' %}{% for i in [2] if y recursive %}"
                    "{% set ns.l = loop %}{{ i }}{{ y }}{% endfor %}{% endfor %}{{ ns.l([3]) }}"),
            "2Y3Y");
  EXPECT_EQ(text_of(std::string(kStored) +
                    "{% for a in [1] recursive %}{% set y = 'Y' %}{% macro m() %}{{ y }}{{ a }}{% endmacro %}"
                    "{% set ns.l = m %}{% endfor %}{{ ns.l() }}"),
            "Y1");
  EXPECT_EQ(
      error_of(std::string(kStored) +
               "{% macro m(x) %}{% set y = 1 %}{% for i in x if i > y %}{% set ns.l = loop %}{{ 1 // 0 }}"
               "{% endfor %}{% endmacro %}{{ m([1, 2, 3]) }}"),
      "integer division or modulo by zero");
}

}  // namespace
}  // namespace kelda::jinja
