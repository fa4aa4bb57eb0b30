#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

bool names_limit(const std::string& source, std::string_view limit) {
  return error_of(source).find("limit: " + std::string(limit)) != std::string::npos;
}

TEST(Limits, EndlessWorkIsRefused) {
  EXPECT_TRUE(names_limit("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
                          "steps"));
  EXPECT_TRUE(names_limit("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "depth"));
  EXPECT_TRUE(names_limit("{{ 'x' * 10 ** 9 }}", "value_bytes"));
  EXPECT_TRUE(names_limit("{{ [1] * 10 ** 9 }}", "value_bytes"));
  EXPECT_TRUE(names_limit("{{ 'x'.ljust(10 ** 9) }}", "value_bytes"));
  EXPECT_TRUE(names_limit("{{ '%1000000000d' % 1 }}", "value_bytes"));
  EXPECT_TRUE(names_limit("{% set x = 'ab' * 1000000 %}{% for i in range(100) %}{{ x }}{% endfor %}",
                          "output_bytes"));
  EXPECT_TRUE(names_limit(
      "{% set n = namespace(x='ab') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
      "value_bytes"));
  EXPECT_TRUE(
      names_limit("{% set n = namespace(x=1) %}{% for i in range(999) %}{% set n.x = [n.x] %}{% endfor %}",
                  "value_depth"));
  EXPECT_TRUE(names_limit("{% for x in [1] recursive %}{{ loop([x]) }}{% endfor %}", "depth"));
  EXPECT_EQ(error_of("{% for i in range(10 ** 9) %}{% endfor %}"),
            "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
}

TEST(Limits, OrdinaryTemplatesStayFarBelow) {
  EXPECT_EQ(text_of("{% for i in range(1000) %}x{% endfor %}"), std::string(1000, 'x'));
  EXPECT_EQ(text_of("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{% endif %}x{% endmacro %}{{ f(50) }}"),
            std::string(51, 'x'));
}

TEST(Limits, AreTheCallers) {
  Environment small = test_environment();
  small.limits.output_bytes = 3;
  EXPECT_NE(error_of("abcd", "{}", small).find("limit: output_bytes"), std::string::npos);
  small.limits.output_bytes = 4;
  EXPECT_EQ(error_of("abcd", "{}", small), "");
}

TEST(Limits, WhatIsReleasedIsFreeAgain) {
  Environment small = test_environment();
  small.limits.value_bytes = 100'000;
  EXPECT_EQ(error_of("{% for i in range(500) %}{% set x = 'ab' * 10000 %}{% endfor %}", "{}", small), "");
}

TEST(Limits, CirclesOfReferencesAreOpened) {
  EXPECT_EQ(text_of("{% set n = namespace() %}{% set n.n = n %}{% for x in [1] %}{% set n.l = loop %}{{ "
                    "loop.changed(loop) }}{{ loop.changed(n) }}{% endfor %}"),
            "TrueTrue");
}

TEST(Limits, DeepTextsAreRefusedWhileParsing) {
  const auto nested = [](const std::string& open, const std::string& close, int n) {
    std::string all = "{{ ";
    for (int i = 0; i < n; ++i) all += open;
    all += "1";
    for (int i = 0; i < n; ++i) all += close;
    return all + " }}";
  };
  for (const int n : {1000, 200000}) {
    EXPECT_NE(error_of(nested("(", ")", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("[", "]", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("not ", "", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("-", "", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("", "|abs", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("", " + 1", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("", "[0]", n)).find("nested"), std::string::npos);
    EXPECT_NE(error_of(nested("", " if 1 else 1", n)).find("nested"), std::string::npos);
  }
  std::string blocks;
  for (int i = 0; i < 100000; ++i) blocks += "{% if 1 %}";
  EXPECT_NE(error_of(blocks).find("nested"), std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
