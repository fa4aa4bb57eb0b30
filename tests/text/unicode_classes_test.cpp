#include "text/unicode_classes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

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
    {"kUpper", R"(\p{Lu})", R"(\P{Lu})", kUpper},
    {"kLower", R"(\p{Ll})", R"(\P{Ll})", kLower},
    {"kTitle", R"(\p{Lt})", R"(\P{Lt})", kTitle},
    {"kModifierLetters", R"(\p{Lm})", R"(\P{Lm})", kModifierLetters},
    {"kOtherLetters", R"(\p{Lo})", R"(\P{Lo})", kOtherLetters},
    {"kMarks", R"(\p{M})", R"(\P{M})", kMarks},
    {"kNonspacing", R"(\p{Mn})", R"(\p{^Mn})", kNonspacing},
    {"kDecimals", R"(\d)", R"(\D)", kDecimals},
    {"kPunctuation", R"(\p{P})", R"(\P{P})", kPunctuation},
    {"kSymbols", R"(\p{S})", R"(\P{S})", kSymbols},
    {"kHan", R"(\p{Han})", R"(\P{Han})", kHan},
    {"kWord", R"(\w)", R"(\W)", kWord},
    {"kAddedWord", R"(\p{AddedWord})", R"(\P{AddedWord})", kAddedWord},
    {"kBertPunctuation", R"(\p{BertPunctuation})", R"(\P{BertPunctuation})", kBertPunctuation},
};
// Those that no expression names.
const Pinned kUnnamed[] = {
    {"kBertDropped", "", "", kBertDropped},     {"kBertChinese", "", "", kBertChinese},
    {"kBertAccents", "", "", kBertAccents},     {"kAccents", "", "", kAccents},
    {"kNotNormalised", "", "", kNotNormalised},
};

TEST(UnicodeTables, AreThoseThatTheOracleGave) {
  const auto golden = testing::golden("tokenizer_unicode.json");
  std::vector<Pinned> all(std::begin(kPinned), std::end(kPinned));
  all.insert(all.end(), std::begin(kUnnamed), std::end(kUnnamed));
  EXPECT_EQ(all.size(), golden["classes"].size());
  for (const Pinned& p : all) {
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

// The code points beside the edges of any table, and some between; all of them with KELDA_TEST_LONG=1.
std::vector<uint32_t> telling_code_points() {
  const char* is_long = std::getenv("KELDA_TEST_LONG");
  const uint32_t step = is_long != nullptr && *is_long == '1' ? 1 : 211;
  std::set<uint32_t> points;
  for (uint32_t c = 0; c < 0x110000; c += step) points.insert(c);
  for (const Pinned& p : kPinned)
    for (const CodeRange& r : p.ranges)
      for (const uint32_t c : {r.lo - 1, r.lo, r.hi, r.hi + 1}) points.insert(c);
  std::vector<uint32_t> out;
  for (const uint32_t c : points)
    if (c < 0xD800 || (c >= 0xE000 && c < 0x110000)) out.push_back(c);
  return out;
}

// The regex library must see exactly the tables: alone, negated, in brackets, negated in brackets.
TEST(PinClasses, MatchExactlyTheTables) {
  const std::vector<uint32_t> points = telling_code_points();
  std::string text;
  std::vector<std::size_t> begins;
  for (const uint32_t c : points) {
    begins.push_back(text.size());
    append_utf8(c, text);
  }
  for (const Pinned& p : kPinned) {
    const std::string in = p.inside, out = p.outside;
    for (const auto& [pattern, inside] :
         {std::pair(in, true), std::pair(out, false), std::pair("[^" + in + "]", false),
          std::pair("[^" + out + "]", true)}) {
      const Regex r(pattern + "++");
      Regex::Matcher matcher(r);
      Regex::Walk walk(matcher, text);
      std::size_t i = 0;  // of the code point that comes next
      const auto expect_up_to = [&](std::size_t end, bool matched) {
        for (; i < points.size() && begins[i] < end; ++i)
          ASSERT_EQ(matched, contains(p.ranges, points[i]) == inside)
              << p.name << " " << pattern << " " << points[i];
      };
      while (const auto m = walk.next()) {
        expect_up_to(m->begin, false);
        expect_up_to(m->end, true);
      }
      expect_up_to(text.size(), false);
    }
  }
}

TEST(UnicodeTables, LowerCaseIsWhatTheOracleGave) {
  const auto golden = testing::golden("tokenizer_unicode.json");
  uint64_t hash = 0xCBF29CE484222325u;
  for (const LowercaseRange& r : kLowercase)
    for (const uint32_t value : {r.lo, r.hi, r.stride, static_cast<uint32_t>(r.difference)})
      for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (value >> shift & 0xFF)) * 0x100000001B3u;
  EXPECT_EQ(std::size(kLowercase), golden["lowercase"]["ranges"].get<std::size_t>());
  EXPECT_EQ(fmt::format("{:016x}", hash), golden["lowercase"]["fnv1a"].get<std::string>());
  EXPECT_EQ(lowercase('A'), uint32_t{'a'});
  EXPECT_EQ(lowercase(0x100), 0x101u);
  EXPECT_EQ(lowercase(0x101), 0x101u);
  EXPECT_EQ(lowercase(0x130), 0x130u);
  EXPECT_EQ(lowercase(0x2126), 0x3C9u);
  EXPECT_EQ(lowercase(0), 0u);
}

TEST(PinClasses, KnowsWhatUnicodeVersionsAndLibrariesDisagreeOn) {
  const auto in = [](std::span<const CodeRange> ranges, uint32_t c) { return contains(ranges, c); };
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

TEST(PinClasses, APatternMayNotGrowWithoutEnd) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += R"(\p{L})";
  EXPECT_THROW(pin_classes(pattern), Error);
}

TEST(PinClasses, BordersOfWordsFollowThePinnedWords) {
  const Regex r(R"(\bx\b)");
  Regex::Matcher m(r);
  EXPECT_TRUE(m.find("a x-b", 0));
  for (const char* text : {"ax", "xé", "x\u0301", "_x"}) EXPECT_FALSE(m.find(text, 0)) << text;
  EXPECT_TRUE(Regex::Matcher(Regex(R"(a\Bb)")).find("ab", 0));
}

TEST(PinClasses, ABracketMayBeginWithOne) {
  const Regex r(R"([]a]+)");
  EXPECT_EQ(Regex::Matcher(r).find("x]a]", 0)->end, 4u);
}

TEST(LiteralPattern, MatchesExactlyItsText) {
  const std::string text = "a.b*[^]\\-$(é中)\n\t {1}&#";
  const Regex r(literal_pattern(text));
  Regex::Matcher m(r);
  EXPECT_EQ(m.find("x" + text + "y", 0)->end, text.size() + 1);
  EXPECT_FALSE(m.find("axb*[^]", 0));
}

TEST(PinClasses, RefusesWhatDependsOnTheLibrarysOwnTables) {
  for (const char* pattern : {R"(\h)", R"(\R)", R"(\p{Cyrillic})", R"([\b])", R"(\p{Han)", R"(\p)", R"(\X)",
                              R"([[:alpha:]])", R"([a[b]])", R"([a-z&&[^b]])", "\\"}) {
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
