#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Evaluate, GivesWhatJinja2Gives) { expect_golden("evaluate"); }

TEST(Evaluate, ConcatenationKeepsWhoWroteWhat) {
  EXPECT_EQ(marked("{{ 'a' ~ m ~ 'b' ~ n ~ 7 }}"), "‹a›INPUT‹b›42‹7›");
}

// The keys of a user's dict stay the user's, however they travel.
TEST(Evaluate, KeysOfUnpackedDictsKeepWhoWroteThem) {
  constexpr std::string_view kGlobals = R"({"m": {"KEY": "v"}})";
  const auto expect_input = [&](const std::string& source) {
    const std::string text = marked(source, kGlobals);
    const std::size_t at = text.find("KEY");
    ASSERT_NE(at, std::string::npos) << source;
    const std::size_t open = text.rfind("‹", at), close = text.rfind("›", at);
    EXPECT_TRUE(open == std::string::npos || (close != std::string::npos && close > open)) << text;
  };
  expect_input("{% for k, v in dict(**m).items() %}{{ k }}{% endfor %}");
  expect_input("{{ dict(**m) }}");
  expect_input("{{ dict(**m)|tojson }}");
  expect_input("{{ namespace(**m) }}");
  expect_input("{% macro f() %}{{ kwargs }}{% endmacro %}{{ f(**m) }}");
  expect_input("{% macro f() %}{% for k in kwargs %}{{ k }}{% endfor %}{% endmacro %}{{ f(**m) }}");
  expect_input("{% macro f() %}{{ dict(**kwargs) }}{% endmacro %}{{ f(**dict(**m)) }}");
  expect_input("{{ '%s'|format(**m) }}");
  expect_input("{{ {}.fromkeys(m) }}");
}

TEST(Evaluate, UnpackedArgumentsAreCheckedAsOthers) {
  EXPECT_EQ(text_of("{% macro f(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ f(**{'b': 1, 'a': 3}) }}"), "31");
  EXPECT_EQ(error_of("{{ dict(a=1, **{'a': 2}) }}"), "got multiple values for keyword argument 'a'");
  EXPECT_EQ(error_of("{% macro f() %}{% endmacro %}{% call f(caller=1) %}{% endcall %}"),
            "got multiple values for keyword argument 'caller'");
  EXPECT_EQ(error_of("{% macro f(a) %}{% endmacro %}{{ f(1, a=2) }}"),
            "macro 'f' takes no keyword argument 'a'");
}

TEST(Evaluate, AnErrorKnowsItsLine) {
  try {
    rendered("a\n{{ 1 }}\n{{ missing.x }}");
    FAIL();
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.line(), 3);
    EXPECT_STREQ(error.what(), "template:3: 'missing' is undefined");
  }
}

}  // namespace
}  // namespace kelda::jinja
