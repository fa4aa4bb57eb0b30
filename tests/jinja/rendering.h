// Rendering in tests: small templates with JSON globals, and the cases of tests/golden/jinja.json.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/file.h"
#include "jinja/json.h"
#include "jinja/runtime.h"
#include "jinja/template.h"

namespace kelda::jinja {

inline Environment test_environment() {
  using namespace std::chrono;
  Environment environment;
  environment.now =
      sys_days(year(2026) / January / 2) + hours(3) + minutes(4) + seconds(5) + microseconds(678901);
  return environment;
}

inline Rendered rendered(const std::string& source, std::string_view globals = "{}",
                         const Environment& environment = test_environment()) {
  return Template(source).render(parse_json(globals, Provenance::kInput), environment);
}

inline std::string text_of(const std::string& source, std::string_view globals = "{}") {
  return rendered(source, globals).text;
}

// The error's message; empty if there is none.
inline std::string error_of(const std::string& source, std::string_view globals = "{}",
                            const Environment& environment = test_environment()) {
  try {
    rendered(source, globals, environment);
  } catch (const TemplateError& error) {
    return error.detail();
  }
  return "";
}

// The rendering of `source` with m = "INPUT" and n = 42 from the conversation; what the template owns is in ‹
// ›.
inline std::string marked(const std::string& source,
                          std::string_view globals = R"({"m": "INPUT", "n": 42})") {
  const Rendered r = rendered(source, globals);
  std::string out;
  std::size_t at = 0;
  for (const ByteSpan& span : r.owned) {
    EXPECT_LE(at, span.begin);
    EXPECT_LT(span.begin, span.end);
    EXPECT_LE(span.end, r.text.size());
    out += r.text.substr(at, span.begin - at) + "‹" + r.text.substr(span.begin, span.end - span.begin) + "›";
    at = span.end;
  }
  return out + r.text.substr(at);
}

// Every template of the section gives what Jinja2 gave, or fails with its message (to which a list of known
// names may be added).
inline void expect_golden(std::string_view section) {
  const Value golden =
      parse_json(read_text(KELDA_SOURCE_DIR "/tests/golden/jinja.json", 1 << 24), Provenance::kInput);
  const Value* cases = golden.as_dict().find("sections")->as_dict().find(section);
  ASSERT_NE(cases, nullptr) << section;
  ASSERT_FALSE(cases->items().empty());
  for (const Value& row : cases->items()) {
    const std::string source(row.as_dict().find("template")->str());
    const Value* text = row.as_dict().find("text");
    const Value* error = row.as_dict().find("error");
    std::string got, failed;
    try {
      got = Template(source).render(*golden.as_dict().find("globals"), test_environment()).text;
    } catch (const TemplateError& e) {
      failed = e.detail().substr(0, e.detail().find(" (known"));
    }
    if (text) {
      EXPECT_EQ(failed, "") << source;
      EXPECT_EQ(got, text->str()) << source;
    } else {
      EXPECT_EQ(failed, error->str()) << source;
    }
  }
}

}  // namespace kelda::jinja
