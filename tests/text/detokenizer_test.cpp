#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/utf8.h"
#include "tests/text/tiny_vocabulary.h"

namespace kelda::text {
namespace {

std::string from_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

// `text` in random chunks, some of them empty.
std::vector<std::string> chunks(const std::string& text, std::mt19937& rng) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = rng() % 4;
    out.push_back(text.substr(at, n));
    at += n;
  }
  return out;
}

std::string stream_utf8(const std::vector<std::string>& parts) {
  Utf8Stream stream;
  std::string out;
  for (const std::string& part : parts) {
    const std::string text = stream.push(part);
    EXPECT_FALSE(first_invalid_utf8(text)) << "half a character came out";
    out += text;
  }
  return out + stream.finish();
}

TEST(Utf8Stream, ReplacesAsPythonDoesHoweverTheBytesArrive) {
  std::mt19937 rng(1);
  const auto golden = testing::golden("tokenizer_utf8.json");
  ASSERT_GE(golden["rows"].size(), 600u);
  for (const auto& row : golden["rows"]) {
    const std::string bytes = from_hex(row[0]), want = row[1];
    EXPECT_EQ(stream_utf8({bytes}), want) << row[0];
    std::vector<std::string> singly;
    for (const char c : bytes) singly.emplace_back(1, c);
    EXPECT_EQ(stream_utf8(singly), want) << row[0];
    for (int i = 0; i < 10; ++i) EXPECT_EQ(stream_utf8(chunks(bytes, rng)), want) << row[0];
  }
}

TEST(Utf8Stream, GivesOutEachCharacterAsSoonAsItIsCertain) {
  Utf8Stream s;
  EXPECT_EQ(s.push("a\xF0\x9F"), "a");
  EXPECT_EQ(s.push("\x98"), "");
  EXPECT_EQ(s.push("\x80z"), "😀z");
  EXPECT_EQ(s.push("\xE2\x82"), "");
  EXPECT_EQ(s.push("x"), "\uFFFDx");  // can no longer become a character
  EXPECT_EQ(s.push("\xC0"), "\uFFFD");
  EXPECT_EQ(s.push("\xE2\x82"), "");
  EXPECT_EQ(s.finish(), "\uFFFD");
  EXPECT_EQ(s.finish(), "");
}

struct Shown {
  std::string text;
  int matched;
};

// What the contract says of a whole text: the match that begins first, of those the one complete first.
Shown expected(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    int best = -1;
    for (std::size_t i = 0; i < stops.size(); ++i)
      if (text.compare(at, stops[i].size(), stops[i]) == 0 &&
          (best < 0 || stops[i].size() < stops[static_cast<std::size_t>(best)].size()))
        best = static_cast<int>(i);
    if (best >= 0) return {text.substr(0, at), best};
  }
  return {text, -1};
}

// Also holds that nothing is shown after a match and that no more is held back than the longest stop string
// allows.
Shown stream_stops(const std::vector<std::string>& parts, const std::vector<std::string>& stops) {
  StopMatcher m(stops);
  std::size_t longest = 0, pushed = 0;
  for (const std::string& stop : stops) longest = std::max(longest, stop.size());
  std::string out;
  for (const std::string& part : parts) {
    const bool over = m.matched() >= 0;
    const std::string text = m.push(part);
    EXPECT_TRUE(!over || text.empty());
    out += text;
    pushed += part.size();
    if (m.matched() < 0) {
      EXPECT_GT(out.size() + std::max<std::size_t>(longest, 1), pushed);
    }
  }
  const bool over = m.matched() >= 0;
  const std::string rest = m.finish();
  EXPECT_TRUE(!over || rest.empty());
  return {out + rest, m.matched()};
}

TEST(StopMatcher, FindsAStopHoweverItIsSplit) {
  const std::string text = "ABCDEFGHIJKLM";
  for (unsigned cuts = 0; cuts < 1u << 12; ++cuts) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
      parts.back().push_back(text[i]);
      if (cuts >> i & 1) parts.emplace_back();
    }
    const Shown shown = stream_stops(parts, {"DEFGHIJ"});
    ASSERT_EQ(shown.text, "ABC");
    ASSERT_EQ(shown.matched, 0);
  }
}

TEST(StopMatcher, EqualsTheContractOnRandomTextsStopsAndChunks) {
  std::mt19937 rng(3);
  const auto word = [&](std::size_t least, std::size_t most) {
    std::string s;
    for (std::size_t n = least + rng() % (most - least + 1); n > 0; --n)
      s.push_back("abc"[rng() % (2 + rng() % 2)]);
    return s;
  };
  int n_matched = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::string> stops(rng() % 5);
    for (std::string& stop : stops) stop = word(1, 6);
    const std::string text = word(0, 24);
    const Shown want = expected(text, stops), got = stream_stops(chunks(text, rng), stops);
    ASSERT_EQ(got.text, want.text) << text;
    ASSERT_EQ(got.matched, want.matched) << text;
    n_matched += want.matched >= 0;
  }
  EXPECT_GT(n_matched, 5000);
  EXPECT_LT(n_matched, 19000);
}

TEST(StopMatcher, HoldsBackOnlyWhatMayBecomeAStop) {
  StopMatcher m({"DEFGHIJ"});
  EXPECT_EQ(m.push("ABCDE"), "ABC");
  EXPECT_EQ(m.push("FGHI"), "");
  EXPECT_EQ(m.push("X"), "DEFGHIX");
  EXPECT_EQ(m.push("D"), "");
  EXPECT_EQ(m.push("D"), "D");
  EXPECT_EQ(m.finish(), "D");
  EXPECT_EQ(m.matched(), -1);
}

TEST(StopMatcher, AStopThatAnotherBeginsWithWinsBecauseItIsCompleteFirst) {
  EXPECT_EQ(stream_stops({"x", "EN", "D!"}, {"END!", "END"}).matched, 1);
  EXPECT_EQ(stream_stops({"xEND!"}, {"END!", "END"}).matched, 1);
}

TEST(StopMatcher, AStopInsideTheBeginningOfAnotherWaitsForIt) {
  StopMatcher longer({"abcd", "bc"});
  EXPECT_EQ(longer.push("xabc"), "x");
  EXPECT_EQ(longer.matched(), -1);
  EXPECT_EQ(longer.push("d"), "");
  EXPECT_EQ(longer.matched(), 0);

  StopMatcher shorter({"abcd", "bc"});
  EXPECT_EQ(shorter.push("xabc"), "x");
  EXPECT_EQ(shorter.push("e"), "a");
  EXPECT_EQ(shorter.matched(), 1);

  StopMatcher ended({"abcd", "bc"});
  EXPECT_EQ(ended.push("xabc"), "x");
  EXPECT_EQ(ended.finish(), "a");
  EXPECT_EQ(ended.matched(), 1);
}

TEST(StopMatcher, EqualStopsReportTheFirstOne) { EXPECT_EQ(stream_stops({"aXb"}, {"X", "X"}).matched, 0); }

TEST(StopMatcher, MatchesAtTheVeryFirstCharacter) {
  const Shown shown = stream_stops({"END and more"}, {"END"});
  EXPECT_EQ(shown.text, "");
  EXPECT_EQ(shown.matched, 0);
}

TEST(StopMatcher, WorksWithEmojiBehindAUtf8Stream) {
  const std::string text = "ok 😀😶‍🌫️ never", stop = "😶‍🌫️";
  for (std::size_t n = 1; n < 6; ++n) {
    Utf8Stream utf8;
    StopMatcher m({stop});
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += n) {
      const std::string shown = m.push(utf8.push(text.substr(at, n)));
      EXPECT_FALSE(first_invalid_utf8(shown));
      out += shown;
    }
    EXPECT_EQ(out + m.finish(), "ok 😀");
    EXPECT_EQ(m.matched(), 0);
  }
}

TEST(StopMatcher, PassesEverythingWithoutStops) {
  StopMatcher m({});
  EXPECT_EQ(m.push("abc"), "abc");
  EXPECT_EQ(m.finish(), "");
  EXPECT_EQ(m.matched(), -1);
}

// A matcher that looks again at what it holds needs length × text steps: 10^11 here.
TEST(StopMatcher, LongStopsThatAlmostMatchTakeLinearTime) {
  const std::string stop = std::string(100000, 'a') + "b";
  StopMatcher m({stop});
  std::size_t shown = 0;
  for (int i = 0; i < 1000000; ++i) shown += m.push("a").size();
  EXPECT_EQ(shown, 900000u);
  EXPECT_EQ(m.finish().size(), 100000u);
}

TEST(StopMatcherDeathTest, AnEmptyStopIsABugOfTheCaller) { EXPECT_DEATH(StopMatcher({""}), "check failed"); }

}  // namespace
}  // namespace kelda::text
