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

// Each of these once took minutes or more within its steps; the bounds are wide, for slow machines.
TEST(Limits, StepsBoundTheTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto repeated = [](std::string_view before, std::string_view body) {
    return fmt::format(
        "{}{{% for i in range(99999) %}}{{% for j in range(99999) %}}{}{{% endfor %}}{{% endfor %}}", before,
        body);
  };
  const std::vector<std::string> sources = {
      repeated("", "{{ '{:0100000,}'.format(1) }}"),
      "{% set x = 'ä' * 2000000 %}{{ x|wordwrap(1) }}",
      repeated("", "{{ dict(**m)|length }}"),
      repeated("", "{{ ''.format_map(m) }}"),
      repeated("{% set x = 'ä' * 500000 %}", "{% set y = x.startswith('b', 499999) %}"),
      repeated("{% set x = 'a' * 10000000 %}", "{% set y = 'a'.rfind(x) or 'a'.rsplit(x) %}"),
      "{% set p = '0.' * 1000000 %}{% set y = range(99999)|map(attribute=p, default=[1])|list %}",
      "{% set n = 'nan'|float %}{% set y = dict([(n, 1)] * 99999) %}{{ y|length }}",
      std::string("{% set ns = namespace(t=()) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}"
                  "{% endfor %}{{ ns.t is filter }}"),
      repeated("", "{% set y = [1]|map('upper', **m) %}"),
  };
  std::string globals = R"({"m": {"k": 1)";
  for (int i = 0; i < 20000; ++i) globals += fmt::format(", \"k{}\": 1", i);
  for (const std::string& source : sources) error_of(source, globals + "}}");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(3));
}

TEST(Limits, ScopesWithManyVariablesCountTheirEntering) {
  std::string body;
  for (int i = 0; i < 4000; ++i) body += fmt::format("{{% set a{} = 1 %}}", i);
  Environment few = test_environment();
  few.limits.steps = 40'000;
  const std::string source = "{% for i in range(200) %}{% if i > 300 %}" + body + "{% endif %}{% endfor %}";
  EXPECT_NE(error_of(source, "{}", few).find("limit: steps"), std::string::npos);
}

// What a template says must not make its loading slow: a file is looked at before anybody asks for it.
TEST(Limits, LoadingTakesTimeInProportion) {
  const auto begin = std::chrono::steady_clock::now();
  const auto many = [](int n, const auto& part) {
    std::string all;
    for (int i = 0; i < n; ++i) all += part(i);
    return all;
  };
  const std::string ifs = many(40'000, [](int i) { return fmt::format("{{% if a{} %}}{{% endif %}}", i); });
  EXPECT_EQ(text_of(ifs), "");
  const std::string elifs = many(40'000, [](int i) { return fmt::format("{{% elif a{} %}}", i); });
  EXPECT_EQ(text_of("{% if a %}" + elifs + "{% endif %}"), "");
  const std::string arguments = many(60'000, [](int i) { return fmt::format("a{}=1,", i); });
  EXPECT_NE(error_of("{{ dict(" + arguments + "a0=1) }}").find("repeated: a0"), std::string::npos);
  EXPECT_NE(error_of("{% macro m(" + arguments + "a0=1) %}{% endmacro %}").find("duplicate"),
            std::string::npos);
  const std::string names = many(40'000, [](int i) { return fmt::format("{{{{ a{} }}}}", i); });
  const std::string open = many(95, [](int) { return "{% if 1 %}"; });
  const std::string close = many(95, [](int) { return "{% endif %}"; });
  EXPECT_NE(error_of(open + names + close).find("too complex"), std::string::npos);
  EXPECT_NE(error_of(many(200'000, [](int) { return "{{1}}"; })).find("words"), std::string::npos);
  EXPECT_NE(error_of("{{ " + std::string(5000, 'a') + " }}").find("a name of 5000 bytes"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(2));
}

TEST(Limits, SizesFromTemplatesDoNotWrap) {
  for (const char* source :
       {"{{ [1]|batch(576460752303423488, 'x')|list }}", "{{ 'a\t'.expandtabs(9223372036854775807) }}",
        "{{ 'x'.ljust(9223372036854775807) }}", "{{ 'x'|center(9223372036854775807) }}",
        "{{ [1] * 576460752303423489 }}", "{{ 'ab' * 9223372036854775807 }}",
        "{{ 'x'.zfill(9223372036854775807) }}", "{{ 'x'|indent(9223372036854775807) }}",
        "{{ [1]|tojson(indent=9223372036854775807) }}"}) {
    EXPECT_TRUE(names_limit(source, "value_bytes")) << source << error_of(source);
  }
  EXPECT_EQ(text_of("{% set low = -9223372036854775807 - 1 %}{{ range(0, low, low)|reverse|list }}"), "[0]");
  EXPECT_EQ(
      text_of("{% set low = -9223372036854775807 - 1 %}{% set r = range(9223372036854775807, low, low) %}"
              "{{ r|list }}{{ r|reverse|list }}{{ r[1] }}"),
      "[9223372036854775807, -1][-1, 9223372036854775807]-1");
}

// Nothing of these is deeper than a few levels to look at, but each holds the one before.
TEST(Limits, LongChainsAreDestroyedWithoutRecursion) {
  const std::string before = "{% set ns = namespace(x=1) %}{% for i in range(99999) %}";
  EXPECT_EQ(error_of(before + "{% set ns.x = {}[ns.x] %}{% endfor %}"), "");
  for (const char* filter :
       {"unique(attribute='x')", "map(attribute='x')|batch(5)", "map(attribute='x')|slice(2)"}) {
    const std::string error = error_of(before + "{% set g = [ns, ns]|" + filter +
                                       " %}{% set y = g|first %}{% set ns.x = g %}{% endfor %}");
    EXPECT_TRUE(error.empty() || error.find("limit") != std::string::npos) << error;
  }
}

TEST(Limits, DeepTextsAreRefusedWhileParsing) {
  const auto nested = [](const std::string& open, const std::string& close, int n) {
    std::string all = "{{ ";
    for (int i = 0; i < n; ++i) all += open;
    all += "1";
    for (int i = 0; i < n; ++i) all += close;
    return all + " }}";
  };
  for (const int n : {1000, 20000}) {
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
  for (int i = 0; i < 20000; ++i) blocks += "{% if 1 %}";
  EXPECT_NE(error_of(blocks).find("nested"), std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
