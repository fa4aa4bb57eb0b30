// DRY, the ban of repeated n-grams, bad words and bad strings: what the text so far has to do with the draw.
#include <fmt/format.h>

#include <cmath>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

using Ids = std::set<TokenId>;
const std::vector<float> kEqual(12, 0.0f);

// Ids 0 to 11 as texts; the ids of a text are those of its letters.
TokenText text_of(std::vector<std::string> bytes) {
  const auto of = [bytes](TokenId id) {
    return id >= 0 && static_cast<std::size_t>(id) < bytes.size() ? bytes[static_cast<std::size_t>(id)] : "";
  };
  const auto encode = [bytes](std::string_view text) {
    std::vector<TokenId> ids;
    for (const char c : text) {
      const auto at = std::find(bytes.begin(), bytes.end(), std::string(1, c));
      if (at != bytes.end()) ids.push_back(static_cast<TokenId>(at - bytes.begin()));
    }
    return ids;
  };
  return {of, encode};
}
const TokenText kText = text_of({"a", "b", "c", "\n", "x:", "d", "bc", "ca", " ", "", "\xC3", "\xA9"});

Ids gone(const std::string& settings, const History& history) {
  Chain chain(knobs_of(settings), kEqual.size(), kText);
  Ids out;
  for (TokenId id = 0; id < 12; ++id) out.insert(id);
  for (const Candidate& c : chain.apply(kEqual, history).all()) out.erase(c.id);
  return out;
}

std::map<TokenId, double> penalties(const std::string& settings, const History& history) {
  Chain chain(knobs_of(settings), kEqual.size(), kText);
  std::map<TokenId, double> out;
  for (const Candidate& c : chain.apply(kEqual, history).all()) {
    if (c.logit != 0) out[c.id] = -static_cast<double>(c.logit);
  }
  return out;
}

void expect_penalties(const std::string& settings, const std::vector<TokenId>& text,
                      const std::map<TokenId, double>& expected) {
  for (const std::size_t n_prompt : {std::size_t{0}, text.size() / 2, text.size()}) {  // it is one text
    const std::span<const TokenId> all(text);
    const auto found = penalties(settings, {all.first(n_prompt), all.subspan(n_prompt)});
    ASSERT_EQ(found.size(), expected.size()) << settings;
    for (const auto& [id, penalty] : expected)
      EXPECT_NEAR(found.at(id), penalty, 1e-5) << settings << ' ' << id;
  }
}

TEST(Dry, GrowsWithTheLengthOfTheRepetition) {
  const std::vector<TokenId> text = {0, 1, 2, 5, 7, 1, 2, 6, 0, 1, 2};  // a b c → d (3), b c → bc (2)
  expect_penalties(R"({"dry_multiplier": 0.8})", text, {{5, 0.8 * 1.75}, {6, 0.8}});
  expect_penalties(R"({"dry_multiplier": 0.8, "dry_base": 2, "dry_allowed_length": 1})", text,
                   {{5, 3.2}, {6, 1.6}});
  expect_penalties(R"({"dry_multiplier": 0.8, "dry_allowed_length": 3})", text, {{5, 0.8}});
  expect_penalties(R"({"dry_multiplier": 0.8, "dry_allowed_length": 4})", text, {});
  expect_penalties(R"({"dry_multiplier": 0.8, "dry_base": 1})", text, {{5, 0.8}, {6, 0.8}});
}

TEST(Dry, LooksAsFarBackAsItsWindow) {
  const std::vector<TokenId> text = {0, 1, 5, 2, 2, 0, 1};
  expect_penalties(R"({"dry_multiplier": 1})", text, {{5, 1}});
  expect_penalties(R"({"dry_multiplier": 1, "dry_window": 7})", text, {{5, 1}});
  expect_penalties(R"({"dry_multiplier": 1, "dry_window": 6})", text, {});
}

TEST(Dry, DoesNotCountAcrossBreakers) {
  const std::vector<TokenId> text = {0, 3, 1, 5, 0, 3, 1};  // a \n b → d, but only b is after the newline
  expect_penalties(R"({"dry_multiplier": 1})", text, {});
  expect_penalties(R"({"dry_multiplier": 1, "dry_allowed_length": 1})", text, {{5, 1}});
  expect_penalties(R"({"dry_multiplier": 1, "dry_sequence_breakers": []})", text, {{5, 1.75}});
  expect_penalties(R"({"dry_multiplier": 1, "dry_sequence_breakers": ["b"]})", text, {});
}

TEST(Dry, FindsABreakerInATokenAndAcrossTokens) {
  const std::vector<TokenId> text = {4, 0, 1, 5, 4, 0, 1};  // "x:" has the breaker ":" in it
  expect_penalties(R"({"dry_multiplier": 1, "dry_allowed_length": 1})", text, {{5, 1.75}});
  const std::string cut =
      R"({"dry_multiplier": 1, "dry_allowed_length": 1, "dry_sequence_breakers": ["ab"]})";
  expect_penalties(cut, {0, 1, 2, 5, 0, 1, 2}, {{5, 1}});
  expect_penalties(cut, {0, 6, 5, 0, 6}, {});  // it ends in "bc"
}

TEST(Dry, ABreakerIsNotPenalised) {
  expect_penalties(R"({"dry_multiplier": 1})", {0, 1, 3, 2, 0, 1}, {});
  expect_penalties(R"({"dry_multiplier": 1})", {0, 1, 2, 3, 0, 1}, {{2, 1}});
}

TEST(Dry, HugeSettingsAreABanNotAnOverflow) {
  const std::vector<TokenId> text = {0, 1, 5, 0, 1};
  const auto p =
      left(R"({"dry_multiplier": 1e308, "dry_base": 1e308, "dry_allowed_length": 1})", kEqual, {text, {}});
  EXPECT_EQ(p.at(5), 0);
}

// BR-104: the prompt counts, unless the request says otherwise.
TEST(NoRepeatNgram, BansWhatWouldCompleteARun) {
  const std::vector<TokenId> prompt = {1, 2, 5, 1}, generated = {2, 6, 1, 2};
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 3})", {prompt, generated}), (Ids{5, 6}));
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 2})", {prompt, generated}), (Ids{5, 6}));
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 1})", {prompt, generated}), (Ids{1, 2, 5, 6}));
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 4})", {prompt, generated}), Ids{});
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 2, "no_repeat_ngram_output_only": true})", {prompt, generated}),
            (Ids{6}));
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 3, "no_repeat_ngram_output_only": true})", {prompt, generated}),
            Ids{});
  EXPECT_EQ(gone(R"({"no_repeat_ngram_size": 2})", {prompt, {}}), (Ids{2})) << "a bigram of the prompt";
  for (const char* n : {"1", "2", "2147483647"})
    EXPECT_EQ(gone(fmt::format(R"({{"no_repeat_ngram_size": {}}})", n), {}), Ids{});
}

TEST(NoRepeatNgram, WhereNothingIsLeftIsAnError) {
  const std::vector<TokenId> said = {0, 1, 2};
  Chain chain(knobs_of(R"({"no_repeat_ngram_size": 1})"), 3);
  EXPECT_EQ(error_of(ErrorCode::kUsage,
                     [&] {
                       (void)chain.draw(std::vector<float>{1, 2, 3}, {said, {}}, {});
                     }),
            "no_repeat_ngram bans every token that could come next");
}

TEST(BadWords, BanTheLastTokenOnceTheOthersStand) {
  const std::string settings = R"({"bad_words": ["abd", "x"]})";
  const std::vector<TokenId> ab = {0, 1}, cab = {2, 0, 1}, a = {0};
  // "x" is no token of its own here, and its other form is a blank alone.
  EXPECT_EQ(error_of(ErrorCode::kUsage, [&] { Chain(knobs_of(settings), 12, kText); }),
            "bad_words: \"x\" has no token in this vocabulary");
  EXPECT_EQ(gone(R"({"bad_words": ["abd"]})", {{}, ab}), (Ids{5}));
  EXPECT_EQ(gone(R"({"bad_words": ["abd"]})", {{}, cab}), (Ids{5}));
  EXPECT_EQ(gone(R"({"bad_words": ["abd"]})", {{}, a}), Ids{});
  EXPECT_EQ(gone(R"({"bad_words": ["abd"]})", {ab, {}}), Ids{}) << "the prompt is not output";
  EXPECT_EQ(gone(R"({"bad_words": ["a", "c"]})", {}), (Ids{0, 2}));
}

// BR-023: whatever its form, the word does not come.
TEST(BadStrings, AreBannedHoweverTheyAreCut) {
  const std::vector<TokenId> a = {0}, ab = {0, 1}, xc = {2};
  EXPECT_EQ(gone(R"({"bad_strings": ["abc"]})", {{}, a}), (Ids{6})) << "a + bc";
  EXPECT_EQ(gone(R"({"bad_strings": ["abc"]})", {{}, ab}), (Ids{2, 7})) << "ab + c, ab + ca";
  EXPECT_EQ(gone(R"({"bad_strings": ["abc"]})", {{}, xc}), Ids{});
  EXPECT_EQ(gone(R"({"bad_strings": ["bc", ":"]})", {}), (Ids{4, 6})) << "whole in a token";
  EXPECT_EQ(gone(R"({"bad_strings": ["aab"]})", {{}, std::vector<TokenId>{0, 0, 0}}), (Ids{1, 6}));
  EXPECT_EQ(gone(R"({"bad_strings": ["ab"]})", {a, {}}), Ids{}) << "the prompt is not output";
  EXPECT_EQ(gone(R"({"bad_strings": ["\u00e9"]})", {{}, std::vector<TokenId>{10}}), (Ids{11}))
      << "half a character";
}

TEST(BadStrings, NeverComeInATextOfAnyLength) {
  const std::vector<std::string> banned = {"aba", "cc", "dab", "bcd"};
  Chain chain(knobs_of(R"({"bad_strings": ["aba", "cc", "dab", "bcd"]})"), kEqual.size(), kText);
  std::vector<TokenId> said;
  std::string text;
  for (uint32_t i = 0; i < 3000; ++i) {
    said.push_back(chain.draw(kEqual, {{}, said}, {1, 0, i}).id);
    text += kText.bytes(said.back());
  }
  for (const std::string& s : banned) EXPECT_EQ(text.find(s), std::string::npos) << s;
  for (const char* allowed : {"ab", "ba", "cb", "da", "bc", "cd"})
    EXPECT_NE(text.find(allowed), std::string::npos) << allowed;
}

TEST(FrequencyPresence, WindowAndPromptSayWhatIsCounted) {
  const std::vector<TokenId> prompt = {0, 1, 1}, generated = {2, 2, 0};
  const auto counted = [&](const std::string& more) {
    return penalties(R"({"frequency_penalty": 1, )" + more + "}", {prompt, generated});
  };
  EXPECT_EQ(counted(R"("frequency_window": -1)"), (std::map<TokenId, double>{{0, 1}, {2, 2}}));
  EXPECT_EQ(counted(R"("frequency_window": 2)"), (std::map<TokenId, double>{{0, 1}, {2, 1}}));
  EXPECT_EQ(counted(R"("frequency_prompt": true)"), (std::map<TokenId, double>{{0, 2}, {1, 2}, {2, 2}}));
  EXPECT_EQ(counted(R"("frequency_prompt": true, "frequency_window": 4)"),
            (std::map<TokenId, double>{{0, 1}, {1, 1}, {2, 2}}));
  EXPECT_TRUE(counted(R"("frequency_window": 0)").empty());
}

}  // namespace
}  // namespace kelda::sampling
