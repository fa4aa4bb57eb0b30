#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

std::string again(std::string_view json, const DumpOptions& options = {}) {
  return dump_json(parse_json(json, Provenance::kInput), options);
}

TEST(JsonDump, WritesAsPythonDoes) {
  EXPECT_EQ(again(R"({"a":[1,2.0,1e16,true,null],"b":{}})"),
            R"({"a": [1, 2.0, 1e+16, true, null], "b": {}})");
  EXPECT_EQ(again(R"("\u0001\u007f\"\\é😀/")"), "\"\\u0001\x7F\\\"\\\\é😀/\"");
  DumpOptions ascii;
  ascii.ensure_ascii = true;
  EXPECT_EQ(again(R"("é😀\u007f")", ascii), R"("\u00e9\ud83d\ude00\u007f")");
  DumpOptions indented;
  indented.indent = Text("  ", Provenance::kOwned);
  indented.item_separator = Text(",", Provenance::kOwned);
  EXPECT_EQ(again(R"({"a":[1,[]]})", indented), "{\n  \"a\": [\n    1,\n    []\n  ]\n}");
  DumpOptions sorted;
  sorted.sort_keys = true;
  EXPECT_EQ(again(R"({"b":1,"a":2})", sorted), R"({"a": 2, "b": 1})");
}

TEST(JsonDump, RefusesWhatJsonHasNot) { EXPECT_THROW(dump_json(Value::undefined("x")), Failure); }

TEST(JsonDump, StopsAtTheBudget) {
  // Each list holds the one before twice: a small value whose text is huge.
  const std::string bomb =
      "{% set ns = namespace(l=['x']) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}";
  EXPECT_NE(error_of(bomb + "{{ ns.l|tojson }}").find("limit"), std::string::npos);
  EXPECT_NE(error_of(bomb + "{{ ns.l }}").find("limit"), std::string::npos);
  EXPECT_NE(error_of(bomb + "{{ ns.l == [ns.l[0], ns.l[1]] and ns.l < [[1]] }}").find("limit"),
            std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
