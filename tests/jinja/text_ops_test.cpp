#include "jinja/text_ops.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

std::vector<std::string> cut(std::string_view text, std::string_view separator, int64_t max, bool right) {
  const Environment environment;
  Runtime rt(environment);
  std::vector<std::string> parts;
  const Text whole(std::string(text), Provenance::kInput);
  const auto values = separator.empty()
                          ? split_white(rt, whole, max, right)
                          : split(rt, whole, Text(std::string(separator), Provenance::kInput), max, right);
  for (const Value& part : values) parts.emplace_back(part.str());
  return parts;
}
using Parts = std::vector<std::string>;

TEST(TextOps, SplitFromBothSides) {
  EXPECT_EQ(cut("a,b,,c", ",", -1, false), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(cut("a,b,,c", ",", 2, false), (Parts{"a", "b", ",c"}));
  EXPECT_EQ(cut("a,b,,c", ",", 2, true), (Parts{"a,b", "", "c"}));
  EXPECT_EQ(cut("", ",", -1, true), (Parts{""}));
  EXPECT_EQ(cut("aaa", "aa", -1, true), (Parts{"a", ""}));
}

TEST(TextOps, SplitAtWhiteSpace) {
  EXPECT_EQ(cut("  a b\u2003c  ", "", -1, false), (Parts{"a", "b", "c"}));
  EXPECT_EQ(cut("  a b  c  ", "", 1, false), (Parts{"a", "b  c  "}));
  EXPECT_EQ(cut("  a b  c  ", "", 1, true), (Parts{"  a b", "c"}));
  EXPECT_EQ(cut("   ", "", -1, true), Parts{});
  EXPECT_EQ(cut(" a ", "", 0, false), (Parts{"a "}));
}

TEST(TextOps, ReplaceAndLinesAndStrip) {
  const Environment environment;
  Runtime rt(environment);
  const auto text = [](std::string_view s) { return Text(std::string(s), Provenance::kInput); };
  EXPECT_EQ(replace(rt, text("éa"), text(""), text("-"), -1).bytes(), "-é-a-");
  EXPECT_EQ(replace(rt, text("aaa"), text("a"), text("bb"), 2).bytes(), "bbbba");
  EXPECT_EQ(split_lines(rt, text("a\r\nb\vc\u2028d\n\n"), false).size(), 5u);
  EXPECT_EQ(split_lines(rt, text("a\r\nb"), true)[0].bytes(), "a\r\n");
  const Text chars = text("é ");
  EXPECT_EQ(strip(rt, text("é aé é"), &chars, Side::kBoth).bytes(), "a");
  EXPECT_EQ(strip(rt, text("\u3000a\t"), nullptr, Side::kLeft).bytes(), "a\t");
}

}  // namespace
}  // namespace kelda::jinja
