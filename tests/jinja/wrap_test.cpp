#include "jinja/wrap.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

std::vector<std::string> lines(std::string_view text, WrapOptions options) {
  const Environment environment;
  Runtime rt(environment);
  std::vector<std::string> out;
  for (const Text& line : wrap(rt, Text(std::string(text), Provenance::kInput), options))
    out.push_back(line.bytes());
  return out;
}
using Lines = std::vector<std::string>;

TEST(Wrap, BreaksAtBlanksHyphensAndInsideLongWords) {
  EXPECT_EQ(lines("a bb ccc dddd", {.width = 5}), (Lines{"a bb", "ccc", "dddd"}));
  EXPECT_EQ(lines("well-known thing", {.width = 7}), (Lines{"well-", "known", "thing"}));
  EXPECT_EQ(lines("well-known", {.width = 7, .break_on_hyphens = false}), (Lines{"well-kn", "own"}));
  EXPECT_EQ(lines("abcdefgh ij", {.width = 3, .break_long_words = false}), (Lines{"abcdefgh", "ij"}));
  EXPECT_EQ(lines("東京東京", {.width = 3}), (Lines{"東京東", "京"}));
  EXPECT_EQ(lines("   ", {.width = 3}), Lines{});
}

}  // namespace
}  // namespace kelda::jinja
