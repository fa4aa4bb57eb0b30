#include "jinja/builtins.h"

#include <fmt/ranges.h>

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Builtins, GivesWhatJinja2Gives) { expect_golden("builtins"); }

TEST(Builtins, AnUnknownFilterNamesTheKnownOnes) {
  const std::string error = error_of("{{ 1|nosuch }}");
  EXPECT_NE(error.find("No filter named 'nosuch'."), std::string::npos);
  EXPECT_NE(error.find("tojson"), std::string::npos);
}

// Every filter, test, method and function with arguments of every type, in every place: it works, or says
// what is wrong. Nothing else may happen: an abort ends this test.
constexpr const char* kEverything = R"({"i": 2, "z": 0, "neg": -3, "big": 123456789012345678901, "f": 2.5,
  "s": "ab cd", "e": "", "l": [1, 2, 3, 4, 5, 6, 7, 8, 9], "ls": ["b", "a"], "d": {"a": 1}, "n": null, "t": true})";
const std::vector<std::string>& values() {
  static const std::vector<std::string> all = {"i",
                                               "z",
                                               "neg",
                                               "big",
                                               "f",
                                               "s",
                                               "e",
                                               "l",
                                               "ls",
                                               "d",
                                               "n",
                                               "t",
                                               "nothing",
                                               "(1, 'a')",
                                               "range(3)",
                                               "s.upper",
                                               "ls|map('upper')",
                                               "s|safe",
                                               "d.items()"};
  return all;
}

// The expression: `form` with an operand for its first {} and arguments for its second.
void try_all(const std::string& form, std::size_t n_arguments) {
  const Value globals = parse_json(kEverything, Provenance::kInput);
  Environment environment = test_environment();
  environment.limits.steps = 20'000;
  const auto attempt = [&](const std::string& self, const std::vector<std::string>& arguments) {
    const std::string call = fmt::format(fmt::runtime(form), self, fmt::join(arguments, ", "));
    const std::string source =
        fmt::format("{{% set r = {} %}}{{{{ r }}}}{{{{ r|list if r is iterable }}}}", call);
    try {
      Template(source).render(globals, environment);
    } catch (const TemplateError&) {
    }
  };
  // Ordinary arguments in the other places, so that a wrong one is reached.
  const std::vector<std::string> usual = {"3", "false", "''", "0"};
  for (const std::string& self : values()) {
    for (std::size_t n = 0; n <= n_arguments; ++n) {
      std::vector<std::string> arguments;
      for (std::size_t i = 0; i < n; ++i) arguments.push_back(usual[i % usual.size()]);
      attempt(self, arguments);
      for (std::size_t wrong = 0; wrong < n; ++wrong) {
        std::vector<std::string> others = arguments;
        for (const std::string& value : values()) {
          others[wrong] = value;
          attempt(self, others);
        }
      }
    }
  }
}

std::size_t places(const Row& row) { return row.variadic ? 2 : row.params.size(); }

TEST(Builtins, TakeArgumentsOfAnyType) {
  for (const Table table : filter_tables()) {
    for (const Row& row : table) try_all(fmt::format("({{}})|{}({{}})", row.name), places(row));
  }
  for (const Table table : test_tables()) {
    for (const Row& row : table) {
      if (row.name.find_first_of("=!<>") == std::string_view::npos && row.name != "in")
        try_all(fmt::format("({{}}) is {}({{}})", row.name), places(row));
    }
  }
  for (const Row& row : global_functions()) {
    try_all(fmt::format("[{{}}] and {}({{}})", row.name), row.variadic ? 3 : row.params.size());
  }
}

TEST(Builtins, MethodsTakeArgumentsOfAnyType) {
  const std::vector<Value> owners = {Value::string("", Provenance::kInput),
                                     Value::list({}),
                                     Value::tuple({}),
                                     Value::dict({}),
                                     Value::integer(1),
                                     Value::real(1)};
  for (const Value& owner : owners) {
    for (const Row& row : methods_of(owner)) try_all(fmt::format("({{}}).{}({{}})", row.name), places(row));
  }
}

}  // namespace
}  // namespace kelda::jinja
