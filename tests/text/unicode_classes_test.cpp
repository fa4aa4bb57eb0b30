#include "text/unicode_classes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/utf8.h"
#include "tests/text/tiny_vocabulary.h"
#include "text/regex.h"

namespace kelda::text {
namespace {

struct Pinned {
  const char* name;
  const char *inside, *outside;  // expressions for the class and for everything else
  std::span<const CodeRange> ranges;
};
const Pinned kPinned[] = {
    {"kLetters", R"(\p{L})", R"(\P{L})", kLetters},
    {"kNumbers", R"(\p{N})", R"(\P{N})", kNumbers},
    {"kWhitespace", R"(\s)", R"(\S)", kWhitespace},
    {"kNumeric", R"(\p{Digit})", R"(\P{Digit})", kNumeric},
};

TEST(UnicodeTables, AreThoseThatTheOracleGave) {
  const auto golden = testing::golden("tokenizer_unicode.json");
  for (const Pinned& p : kPinned) {
    uint64_t hash = 0xCBF29CE484222325u, n = 0;
    uint32_t previous_end = 0;
    for (const CodeRange& r : p.ranges) {
      EXPECT_LE(r.lo, r.hi);
      EXPECT_TRUE(n == 0 || r.lo > previous_end + 1) << "ranges touch";
      previous_end = r.hi;
      n += r.hi - r.lo + 1;
      for (const uint32_t value : {r.lo, r.hi})
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (value >> shift & 0xFF)) * 0x100000001B3u;
    }
    const auto& want = golden["classes"][p.name];
    EXPECT_EQ(n, want["code_points"].get<uint64_t>()) << p.name;
    EXPECT_EQ(p.ranges.size(), want["ranges"].get<std::size_t>()) << p.name;
    EXPECT_EQ(fmt::format("{:016x}", hash), want["fnv1a"].get<std::string>()) << p.name;
  }
}

// The regex library must see exactly the tables, on every code point: alone, negated, in brackets, negated in
// brackets.
TEST(PinClasses, MatchesExactlyTheTableOnEveryCodePoint) {
  for (const Pinned& p : kPinned) {
    const std::string in = p.inside, out = p.outside;
    Regex expressions[] = {Regex(in), Regex(out), Regex("[^" + in + "]"), Regex("[^" + out + "]")};
    const bool wanted_inside[] = {true, false, false, true};
    std::vector<Regex::Matcher> matchers;
    for (const Regex& e : expressions) matchers.emplace_back(e);
    std::size_t next = 0;
    for (uint32_t c = 0; c < 0x110000; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      while (next < p.ranges.size() && p.ranges[next].hi < c) ++next;
      const bool inside = next < p.ranges.size() && p.ranges[next].lo <= c;
      std::string text;
      append_utf8(c, text);
      for (std::size_t i = 0; i < matchers.size(); ++i)
        ASSERT_EQ(matchers[i].find(text, 0).has_value(), inside == wanted_inside[i])
            << p.name << ", form " << i << ", " << c;
    }
  }
}

TEST(PinClasses, KnowsWhatUnicodeVersionsAndLibrariesDisagreeOn) {
  const auto in = [](std::span<const CodeRange> ranges, uint32_t c) {
    for (const CodeRange& r : ranges)
      if (r.lo <= c && c <= r.hi) return true;
    return false;
  };
  EXPECT_FALSE(in(kWhitespace, 0x180E));
  EXPECT_TRUE(in(kWhitespace, 0x85));
  EXPECT_FALSE(in(kWhitespace, 0x200B));
  EXPECT_TRUE(in(kLetters, 0x31350));  // extension H, Unicode 15
  EXPECT_TRUE(in(kNumeric, 0x11DE0));  // newer than the tables behind \p{N}
  EXPECT_FALSE(in(kNumbers, 0x11DE0));
}

TEST(PinClasses, LeavesTheRestOfAPatternAlone) {
  EXPECT_EQ(pin_classes(R"(a|[b-d]+\.\x{41}\n(?!x))"), R"(a|[b-d]+\.\x{41}\n(?!x))");
  EXPECT_EQ(pin_classes(R"([\s])").substr(0, 14), R"([\x{9}-\x{D}\x)");
}

TEST(PinClasses, RefusesWhatDependsOnTheLibrarysOwnTables) {
  for (const char* pattern :
       {R"(\w)", R"(\d+)", R"(\bx)", R"([\p{Lu}])", R"(\p{Han)", R"(\p)", R"(\X)", "\\"}) {
    try {
      pin_classes(pattern);
      FAIL() << pattern;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    }
  }
}

}  // namespace
}  // namespace kelda::text
