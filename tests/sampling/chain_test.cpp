#include "sampling/chain.h"

#include <cmath>
#include <limits>
#include <string>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

const std::vector<float> kFour = {3, 2, 1, 0};
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<double> values(const std::map<TokenId, double>& p) {
  std::vector<double> out;
  for (const auto& [id, value] : p) out.push_back(value);
  return out;
}

void expect_left(const std::string& settings, const std::vector<float>& logits,
                 const std::vector<double>& expected, double tolerance) {
  const std::vector<double> p = values(left(settings, logits));
  ASSERT_EQ(p.size(), expected.size()) << settings;
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_NEAR(p[i], expected[i], tolerance) << settings << ' ' << i;
}

TEST(Chain, WorkedValues) {
  expect_left("{}", kFour, {.644, .237, .087, .032}, 5e-4);
  expect_left(R"({"temperature": 0.5})", kFour, {.865, .117, .016, .002}, 5e-4);
  expect_left(R"({"temperature": 2})", kFour, {.455, .276, .167, .102}, 5e-4);
  expect_left(R"({"top_k": 2})", kFour, {.7311, .2689}, 5e-5);
  expect_left(R"({"top_p": 0.9})", kFour, {.6652, .2447, .0900}, 5e-5);
  expect_left("{}", {2, 1, 0.1f}, {.6590, .2424, .0986}, 5e-5);
  EXPECT_NEAR(left(R"({"temperature": 0.5})", {2, 1, 0.1f}).at(0), .8638, 5e-5);
  EXPECT_NEAR(left(R"({"temperature": 2})", {2, 1, 0.1f}).at(0), .5017, 5e-5);
}

TEST(Chain, RenormalisesAfterEachStage) {
  EXPECT_EQ(ids_left(R"({"temperature": 2, "top_p": 0.9})", kFour).size(), 4u);
  EXPECT_EQ(ids_left(R"({"top_k": 3, "top_p": 0.9})", kFour).size(), 2u);  // .6652 + .2447 = .9100
  EXPECT_EQ(ids_left(R"({"top_p": 0.9})", kFour).size(), 3u);              // .6439 .8808 .9679
}

TEST(Chain, ExponentialSumsAsGiven) {
  const auto exponentials = [](double temperature) {
    double sum = 0;
    for (const float x : kFour) sum += std::exp(static_cast<double>(x) / temperature);
    return sum;
  };
  EXPECT_NEAR(exponentials(1), 31.19, 5e-3);
  EXPECT_NEAR(exponentials(0.5), 466.4, 5e-2);
  EXPECT_NEAR(exponentials(2), 9.849, 5e-4);
  // The probability of the last one is 1 / sum.
  EXPECT_NEAR(1 / left("{}", kFour).at(3), 31.19, 5e-3);
  EXPECT_NEAR(1 / left(R"({"temperature": 0.5})", kFour).at(3), 466.4, 5e-2);
  EXPECT_NEAR(1 / left(R"({"temperature": 2})", kFour).at(3), 9.849, 5e-4);
}

// BR-020
TEST(Chain, TemperatureZeroIsGreedyWithTiesByTheLowestId) {
  std::vector<float> logits = some_logits(1000);
  logits[700] = logits[300] = logits[500] = 9;
  Chain chain(knobs_of(R"({"temperature": 0, "top_p": 0.1, "top_k": 5, "seed": 3})"), logits.size());
  EXPECT_TRUE(chain.greedy());
  for (uint32_t i = 0; i < 20; ++i) {
    const Draw draw = chain.draw(logits, {}, {i, i, i});
    EXPECT_EQ(draw.id, 300);
    EXPECT_EQ(draw.uniform, -1);
    EXPECT_EQ(draw.n_left, 1u);
  }
}

// BR-020
TEST(Chain, TheSmallestTemperaturesEqualGreedy) {
  std::vector<float> logits = some_logits(1000);
  logits[42] = 6.5f;
  for (const char* t : {"1e-9", "1e-30", "1e-300", "4.9e-324"}) {
    for (const TokenId id : draw_many(std::string(R"({"temperature": )") + t + "}", logits, 20))
      EXPECT_EQ(id, 42) << t;
  }
}

TEST(Chain, GreedyStillHearsBiasAndPenalties) {
  const std::vector<TokenId> said = {0};
  EXPECT_EQ(draw_many(R"({"temperature": 0, "repetition_penalty": 2})", kFour, 1, 1, {said, {}})[0], 1);
  EXPECT_EQ(draw_many(R"({"temperature": 0, "logit_bias": {"3": 5}})", kFour, 1)[0], 3);
}

// BR-022
TEST(Chain, HighTemperatureIsFlatUnlessTopKLeavesOne) {
  const std::vector<float> logits = some_logits(1000, 30);
  const std::vector<TokenId> flat = draw_many(R"({"temperature": 1000, "top_k": 0})", logits, 200);
  EXPECT_GT(std::set<TokenId>(flat.begin(), flat.end()).size(), 150u);
  const std::vector<TokenId> greedy = draw_many(R"({"temperature": 0})", logits, 1);
  for (const TokenId id : draw_many(R"({"temperature": 1000, "top_k": 1})", logits, 20))
    EXPECT_EQ(id, greedy[0]);
}

TEST(Chain, ADrawDependsOnItsKeyAndNothingElse) {
  const std::vector<float> logits = some_logits(5000);
  const Knobs knobs = knobs_of(R"({"temperature": 1.2, "top_p": 0.95, "repetition_penalty": 1.1})");
  const std::vector<TokenId> said = {4, 9, 4};
  Chain used(knobs, logits.size());
  for (uint32_t i = 0; i < 50; ++i) (void)used.draw(some_logits(5000, 3, i), {said, said}, {i, 0, 0});
  for (uint32_t i = 0; i < 50; ++i) {
    Chain fresh(knobs, logits.size());
    const Draw a = used.draw(logits, {said, {}}, {7, 1, i}), b = fresh.draw(logits, {said, {}}, {7, 1, i});
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.uniform, b.uniform);
    EXPECT_EQ(a.n_left, b.n_left);
  }
}

// BR-029: choices of one seed differ, and each is the same again.
TEST(Chain, SeedChoiceAndPositionEachChangeTheDraws) {
  const std::vector<float> logits(1000, 0.0f);
  Chain chain(knobs_of("{}"), logits.size());
  std::set<TokenId> by_seed, by_choice, by_position;
  for (uint32_t i = 0; i < 100; ++i) {
    by_seed.insert(chain.draw(logits, {}, {i, 0, 0}).id);
    by_choice.insert(chain.draw(logits, {}, {0, i, 0}).id);
    by_position.insert(chain.draw(logits, {}, {0, 0, i}).id);
  }
  for (const auto& ids : {by_seed, by_choice, by_position}) EXPECT_GT(ids.size(), 80u);
}

TEST(Chain, DrawsAreInOrderOfIdOnTheCumulativeWeights) {
  const std::vector<float> logits = {0, 5, 0, 5};
  Chain chain(knobs_of("{}"), logits.size());
  const std::map<TokenId, double> p = left("{}", logits);
  for (uint32_t i = 0; i < 1000; ++i) {
    const Draw draw = chain.draw(logits, {}, {1, 0, i});
    TokenId expected = 0;
    double below = p.at(0);
    while (draw.uniform >= below) below += p.at(++expected);
    EXPECT_EQ(draw.id, expected);
  }
}

TEST(Chain, NothingToDrawFromIsAnError) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Chain chain(knobs_of("{}"), 3);
  EXPECT_EQ(error_of(ErrorCode::kInternal,
                     [&] {
                       (void)chain.draw(std::vector<float>{nan, -kInf, nan}, {}, {});
                     }),
            "the model gave no logit that is a number");
  Chain banned(knobs_of(R"({"logit_bias": {"0": -100, "1": -100}})"), 3);
  EXPECT_EQ(banned.draw(std::vector<float>{5, 5, -9}, {}, {}).id, 2);
  EXPECT_EQ(error_of(ErrorCode::kUsage,
                     [&] {
                       (void)banned.draw(std::vector<float>{5, 5, -kInf}, {}, {});
                     }),
            "logit_bias bans every token that could come next");
}

// BR-023
TEST(Chain, ABiasOnAnIdThatDoesNotExistIsAnError) {
  EXPECT_NO_THROW(Chain(knobs_of(R"({"logit_bias": {"3": 1}})"), 4));
  EXPECT_EQ(error_of(ErrorCode::kUsage, [] { Chain(knobs_of(R"({"logit_bias": {"2": 1, "4": 1}})"), 4); }),
            "logit_bias names the token id 4; the model's ids are 0 to 3");
}

// What an observer is told, in words: "temperature 4, top_k 2".
class Notes final : public ChainObserver {
 public:
  void begins(const Candidates& all) override { text += std::to_string(all.size()); }
  void ran(std::string_view stage, const Candidates& left) override {
    text += " " + std::string(stage) + " " + std::to_string(left.size());
    for (const Candidate& c : left.all()) last.push_back(c.logit);
  }
  void drew(const Draw& draw, const Candidates& left) override {
    text += " drew " + std::to_string(draw.id) + " of " + std::to_string(left.size());
  }
  std::string text;
  std::vector<float> last;
};

TEST(Chain, AnObserverIsToldEachStageInOrder) {
  const auto told = [](const std::string& settings) {
    Chain chain(knobs_of(settings), 4);
    Notes notes;
    chain.observe(&notes);
    (void)chain.draw(kFour, {}, {});
    chain.observe(nullptr);
    (void)chain.draw(kFour, {}, {});
    return notes.text;
  };
  EXPECT_EQ(told(R"({"temperature": 0})"), "4 drew 0 of 4");
  EXPECT_EQ(told(R"({"temperature": 0.01, "top_k": 2, "top_p": 0.5})"),
            "4 temperature 4 top_k 2 top_p 1 drew 0 of 1");
  EXPECT_EQ(told(R"({"temperature": 0.01, "top_k": 2, "sampler_order": ["top_k", "temperature"]})"),
            "4 top_k 2 temperature 2 drew 0 of 2");
}

TEST(Chain, WhatRunsEarlyIsToldWithTheLogitsOfItsPlace) {
  Chain chain(knobs_of(R"({"temperature": 2, "top_k": 2})"), 4);
  Notes notes;
  chain.observe(&notes);
  (void)chain.apply(kFour, {});
  EXPECT_EQ(notes.text, "4 temperature 4 top_k 2");
  EXPECT_EQ(notes.last, (std::vector<float>{0, -0.5f, -1, -1.5f, 0, -0.5f}));
}

// BR-031
TEST(Logprob, IsOfTheRawDistribution) {
  double sum = 0;
  for (TokenId id = 0; id < 4; ++id) sum += std::exp(logprob(kFour, id));
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_NEAR(logprob(kFour, 0), std::log(.64391426), 1e-7);
  EXPECT_EQ(logprob(std::vector<float>{0, -kInf}, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(logprob(std::vector<float>{0, -kInf}, 0), 0);
}

// BR-031: settings change the draw, not what it is told to be worth.
TEST(Logprob, DoesNotDependOnTheSettings) {
  const std::vector<float> logits = some_logits(300);
  const double expected = logprob(logits, 5);
  for (const char* settings : {R"({"temperature": 0.1})", R"({"temperature": 2, "top_p": 0.1})",
                               R"({"top_k": 1})", R"({"profile": "llama.cpp"})", R"({"mirostat": 2})"}) {
    (void)draw_many(settings, logits, 3);
    EXPECT_EQ(logprob(logits, 5), expected) << settings;
  }
}

// BR-031 and BR-032: no −∞ in a list.
TEST(TopLogprobs, AreSortedFullAndHoldTheChosenToken) {
  std::vector<float> logits = some_logits(3000);
  logits[5] = logits[2000] = 6.25f;
  const std::vector<TokenLogprob> all = top_logprobs(logits, logits.size());
  ASSERT_EQ(all.size(), logits.size());
  EXPECT_EQ(all[0].id, 5);
  EXPECT_EQ(all[1].id, 2000);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += std::exp(all[i].logprob);
    EXPECT_EQ(all[i].logprob, logprob(logits, all[i].id));
    EXPECT_LE(all[i].logprob, all[i == 0 ? 0 : i - 1].logprob);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(top_logprobs(logits, 20).size(), 20u);
  EXPECT_TRUE(top_logprobs(logits, 0).empty());
  EXPECT_EQ(top_logprobs(std::vector<float>{1, -kInf, 2}, 20).size(), 2u);  // no −inf in a list
}

}  // namespace
}  // namespace kelda::sampling
