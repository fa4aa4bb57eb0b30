#include "jinja/string_escapes.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

std::string content(std::string_view literal) {
  std::string out;
  const auto problem = unescape(literal, out);
  return problem ? "!" + *problem : out;
}

TEST(StringEscapes, AreReadAsPythonReadsThem) {
  EXPECT_EQ(content(R"(a\n\t\\\'\"\x41\u00e9\U0001F600\101\7\q)"), "a\n\t\\'\"Aé😀A\x07\\q");
  EXPECT_EQ(content(R"(\ud83d\ude00)"), "😀");
  EXPECT_EQ(content("a\\\nb"), "ab");
}

TEST(StringEscapes, BrokenOnesAreRefused) {
  for (const char* bad : {R"(\x4)", R"(\u12)", R"(\U00110000)", R"(\ud800)", R"(\udc00)", R"(\ud800x)",
                          R"(\N{BULLET})", "\\"}) {
    EXPECT_TRUE(content(bad).starts_with("!")) << bad;
  }
}

}  // namespace
}  // namespace kelda::jinja
