#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(HtmlFilters, GivesWhatJinja2Gives) { expect_golden("filters_html"); }

TEST(HtmlFilters, KeepWhoWroteWhat) {
  EXPECT_EQ(marked("{{ ('<' ~ m)|e }}", R"({"m": "<x>"})"), "‹&lt;›&lt;x&gt;");
  EXPECT_EQ(marked("{{ m|safe }}"), "INPUT");
  EXPECT_EQ(marked("{{ m|urlencode }}", R"({"m": "a b"})"), "a%20b");
  EXPECT_EQ(marked("{{ m|striptags }}", R"({"m": "<p>a</p> b"})"), "a b");
}

}  // namespace
}  // namespace kelda::jinja
