// Typical-p, top-nσ, XTC, mirostat and the dynamic temperature: worked values, borders, and what chance and
// learning have to do with them.
#include <fmt/format.h>

#include <cmath>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

using Ids = std::set<TokenId>;

// p = .5 .25 .125 .125: entropy 1.75 bits, surprises 1 2 3 3, distances .75 .25 1.25 1.25.
const std::vector<float> kHalves = {3 * 0.6931472f, 2 * 0.6931472f, 0.6931472f, 0.6931472f};

TEST(TypicalP, BeginsWithTheSurpriseThatIsToBeExpected) {
  EXPECT_EQ(ids_left(R"({"typical_p": 0.2})", kHalves), (Ids{1}));
  EXPECT_EQ(ids_left(R"({"typical_p": 0.3})", kHalves), (Ids{0, 1}));
  EXPECT_EQ(ids_left(R"({"typical_p": 0.8})", kHalves), (Ids{0, 1, 2})) << "ties: the lowest id";
  EXPECT_EQ(ids_left(R"({"typical_p": 0.9})", kHalves).size(), 4u);
  EXPECT_EQ(ids_left(R"({"typical_p": 1e-300})", kHalves), (Ids{1}));
}

TEST(TypicalP, OfEqualTokensKeepsTheFirst) {
  EXPECT_EQ(ids_left(R"({"typical_p": 0.5})", std::vector<float>(8, 1.5f)), (Ids{0, 1, 2, 3}));
}

// Logits 3 2 1 0: mean 1.5, deviation √1.25 = 1.1180.
TEST(TopNSigma, KeepsWhatIsWithinSoManyDeviations) {
  const std::vector<float> logits = {3, 2, 1, 0};
  EXPECT_EQ(ids_left(R"({"top_n_sigma": 0.89})", logits), (Ids{0}));
  EXPECT_EQ(ids_left(R"({"top_n_sigma": 0.9})", logits), (Ids{0, 1}));
  EXPECT_EQ(ids_left(R"({"top_n_sigma": 2})", logits), (Ids{0, 1, 2}));
  EXPECT_EQ(ids_left(R"({"top_n_sigma": 3})", logits).size(), 4u);
  EXPECT_EQ(ids_left(R"({"top_n_sigma": 0.001})", std::vector<float>(5, 2.0f)).size(), 5u) << "no deviation";
}

TEST(TopNSigma, TheTemperatureChangesNothingAboutIt) {
  const std::vector<float> logits = some_logits(500);
  const Ids expected = ids_left(R"({"top_n_sigma": 1.2})", logits);
  EXPECT_LT(expected.size(), 500u);
  for (const char* t : {"0.2", "0.9", "3"})
    EXPECT_EQ(ids_left(fmt::format(R"({{"top_n_sigma": 1.2, "temperature": {}}})", t), logits), expected)
        << t;
}

TEST(Xtc, RemovesTheTopChoicesButTheLeastLikely) {
  // .644 .237 .087 .032
  const std::vector<float> logits = {3, 2, 1, 0};
  const auto kept = [&](const char* threshold) {
    return ids_left(fmt::format(R"({{"xtc_probability": 1, "xtc_threshold": {}}})", threshold), logits);
  };
  EXPECT_EQ(kept("0.5"), (Ids{0, 1, 2, 3})) << "one top choice stays";
  EXPECT_EQ(kept("0.2"), (Ids{1, 2, 3}));
  EXPECT_EQ(kept("0.08"), (Ids{2, 3}));
  EXPECT_EQ(kept("0.01"), (Ids{3}));
  EXPECT_EQ(kept("0"), (Ids{3}));
  EXPECT_EQ(ids_left(R"({"xtc_probability": 1, "xtc_threshold": 0.3})", {2, 2, 0}), (Ids{1, 2}))
      << "of ties the last";
}

TEST(Xtc, ActsAsOftenAsItsProbabilityByItsOwnNumber) {
  const std::vector<float> logits = {3, 2, 1, 0};
  Chain chain(knobs_of(R"({"xtc_probability": 0.3, "xtc_threshold": 0.2})"), logits.size());
  int acted = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    const DrawKey key{5, 0, i};
    const Draw draw = chain.draw(logits, {}, key);
    const bool expected = uniform(key, kXtcNumber) < 0.3;
    ASSERT_EQ(draw.n_left, expected ? 3u : 4u);
    ASSERT_EQ(draw.uniform, uniform(key, kDrawNumber)) << "the draw's number is another one";
    acted += expected ? 1 : 0;
  }
  EXPECT_NEAR(acted, 6000, 250);
}

TEST(DynamicTemperature, IsLowWhereTheModelIsSureAndHighWhereItIsNot) {
  const std::string settings = R"({"temperature": 1, "dynatemp_range": 0.5})";
  const std::vector<float> flat(4, 1.0f), sure = {40, 0, 0, 0};
  EXPECT_NEAR(left(settings, flat).at(2), 0.25, 1e-12);
  // The entropy of (.5, .25, .125, .125) is 1.75 of at most 2 bits: temperature .5 + 1 × .875.
  EXPECT_NEAR(left(settings, kHalves).at(0) / left(settings, kHalves).at(1), std::pow(2, 1 / 1.375), 1e-6);
  const std::string steep = R"({"temperature": 1, "dynatemp_range": 0.5, "dynatemp_exponent": 3})";
  const double t = 0.5 + std::pow(0.875, 3);
  EXPECT_NEAR(left(steep, kHalves).at(0) / left(steep, kHalves).at(1), std::pow(2, 1 / t), 1e-6);
  EXPECT_NEAR(left(R"({"dynatemp_range": 0.5, "dynatemp_exponent": 0})", kHalves).at(0) /
                  left(R"({"dynatemp_range": 0.5, "dynatemp_exponent": 0})", kHalves).at(1),
              std::pow(2, 1 / 1.5), 1e-6);
}

TEST(DynamicTemperature, OfZeroLeavesTheBest) {
  EXPECT_EQ(ids_left(R"({"temperature": 1, "dynatemp_range": 2})", {1000, 0, 0}), (Ids{0}));
}

// mu begins at 2 × tau.
TEST(Mirostat, TwoKeepsWhatSurprisesAtMostMu) {
  EXPECT_EQ(ids_left(R"({"mirostat": 2, "mirostat_tau": 1.01})", kHalves), (Ids{0, 1}));
  EXPECT_EQ(ids_left(R"({"mirostat": 2, "mirostat_tau": 1.6})", kHalves).size(), 4u);
  EXPECT_EQ(ids_left(R"({"mirostat": 2, "mirostat_tau": 0})", kHalves), (Ids{0})) << "one always stays";
}

// Probabilities that fall as 1 / rank²: s = 2, ε = 1, k = √(2^mu / (1 − 1/N)).
TEST(Mirostat, OneKeepsSoManyAsAnswerToMu) {
  std::vector<float> logits(300);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(-2 * std::log(i + 1.0));
  const std::size_t expected = static_cast<std::size_t>(std::sqrt(64 / (1 - 1.0 / 300)));
  EXPECT_EQ(ids_left(R"({"mirostat": 1, "mirostat_tau": 3})", logits).size(), expected);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(-std::log(i + 1.0));  // ε = 0
  const auto k = static_cast<std::size_t>(64 / std::log(300.0));
  const std::size_t kept = ids_left(R"({"mirostat": 1, "mirostat_tau": 3})", logits).size();
  EXPECT_NEAR(static_cast<double>(kept), static_cast<double>(k), 1);
  EXPECT_GE(ids_left(R"({"mirostat": 1})", std::vector<float>(300, 0.0f)).size(), 1u) << "nothing falls";
}

TEST(Mirostat, LearnsFromWhatWasDrawn) {
  // eta 1: the token of 1 bit leaves mu near 2, that of 2 bits makes it 1.03.
  Chain chain(knobs_of(R"({"mirostat": 2, "mirostat_tau": 1.01, "mirostat_eta": 1})"), kHalves.size());
  std::set<std::size_t> seen;
  for (uint32_t i = 0; i < 50; ++i) {
    const Draw first = chain.draw(kHalves, {}, {1, 0, i});
    const std::vector<TokenId> said = {first.id};
    const Draw second = chain.draw(kHalves, {{}, said}, {2, 0, i});
    EXPECT_EQ(second.n_left, first.id == 0 ? 2u : 1u) << i;
    seen.insert(second.n_left);
  }
  EXPECT_EQ(seen.size(), 2u);
}

// State is by the number of tokens drawn: any step can be drawn again, and leads to the same text.
TEST(Mirostat, DrawsAStepAgainFromWhereItBegan) {
  for (const char* version : {"1", "2"}) {
    const Knobs knobs =
        knobs_of(fmt::format(R"({{"mirostat": {}, "mirostat_tau": 3.5, "mirostat_eta": 0.7}})", version));
    Chain once(knobs, 300), again(knobs, 300);
    std::vector<TokenId> said, said_again;
    const auto draw = [](Chain& chain, const std::vector<TokenId>& text, uint32_t i) {
      return chain.draw(some_logits(300, 40, i), {{}, text}, {9, 0, i});
    };
    for (uint32_t i = 0; i < 40; ++i) said.push_back(draw(once, said, i).id);
    for (uint32_t i = 0; i < 40; ++i) {
      (void)draw(again, said_again, i + 100);  // thrown away
      said_again.push_back(draw(again, said_again, i).id);
      if (i == 20) {  // back by five tokens
        said_again.resize(said_again.size() - 5);
        for (uint32_t j = i - 4; j <= i; ++j) said_again.push_back(draw(again, said_again, j).id);
      }
    }
    EXPECT_EQ(said, said_again) << version;
  }
}

TEST(Mirostat, SteersTheSurpriseToItsTarget) {
  for (const char* version : {"1", "2"}) {
    const std::string settings = fmt::format(R"({{"mirostat": {}, "mirostat_tau": 3}})", version);
    Chain chain(knobs_of(settings), 100);
    std::vector<TokenId> said;
    double surprise = 0;
    constexpr uint32_t kTokens = 1500;
    for (uint32_t i = 0; i < kTokens; ++i) {
      const std::vector<float> logits = some_logits(100, 20, i % 16);
      said.push_back(chain.draw(logits, {{}, said}, {3, 0, i}).id);
      surprise -= logprob(logits, said.back()) / std::log(2.0);
    }
    EXPECT_NEAR(surprise / kTokens, 3, 0.3) << version;
  }
}

}  // namespace
}  // namespace kelda::sampling
