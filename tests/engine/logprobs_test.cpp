#include "engine/logprobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/tiny_llama.h"

namespace kelda {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const std::vector<float> kFour = {3, 2, 1, 0};

TEST(RawReport, IsOfTheSoftmaxAndSortedFalling) {  // BR-031
  const TokenReport report = raw_report(kFour, 1, 4);
  EXPECT_EQ(report.id, 1);
  EXPECT_NEAR(std::exp(report.logprob), .2369, 5e-5);
  ASSERT_EQ(report.top.size(), 4u);
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report.top[i].id, static_cast<TokenId>(i));
    sum += std::exp(report.top[i].logprob);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(report.top[1].logprob, report.logprob) << "the same bits in the list";
  EXPECT_FALSE(report.processed.has_value());
}

TEST(RawReport, HasTheTokenWhetherListedOrNot) {
  EXPECT_EQ(raw_report(kFour, 3, 1).logprob, raw_report(kFour, 3, 4).logprob);
  EXPECT_EQ(raw_report(kFour, 3, 1).top.size(), 1u);
  EXPECT_TRUE(raw_report(kFour, 3, 0).top.empty());
}

TEST(RawReport, ListsMoreThanTwenty) {
  std::vector<float> logits(300);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i % 37) / 8;
  EXPECT_EQ(raw_report(logits, 0, 300).top.size(), 300u);
}

TEST(RawReport, AnImpossibleTokenIsMinusInfinityAndInNoList) {  // BR-032
  const std::vector<float> logits = {1, -kInf, 2};
  EXPECT_EQ(raw_report(logits, 1, 3).logprob, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(raw_report(logits, 1, 3).top.size(), 2u);
}

class Processed : public ::testing::Test {
 protected:
  static TokenReport::Processed of(const std::string& knobs, std::span<const float> logits, std::size_t n,
                                   TokenId* drawn = nullptr) {
    sampling::Chain chain(testing::request_knobs(knobs), logits.size());
    const TokenId id = chain.draw(logits, {}, {1, 0, 0}).id;
    if (drawn != nullptr) *drawn = id;
    return processed_report(chain, id, n);
  }
};

TEST_F(Processed, IsOfWhatWasLeftToDrawFrom) {
  const auto report = of(R"({"top_k": 2})", kFour, 4);
  ASSERT_EQ(report.top.size(), 2u) << "fewer, not -inf";  // BR-032
  EXPECT_NEAR(std::exp(report.top[0].logprob), .7311, 5e-5);
  EXPECT_NEAR(std::exp(report.top[1].logprob), .2689, 5e-5);
  EXPECT_TRUE(report.logprob == report.top[0].logprob || report.logprob == report.top[1].logprob);
}

TEST_F(Processed, CountsTemperature) {
  const auto report = of(R"({"temperature": 0.5})", kFour, 4);
  EXPECT_NEAR(std::exp(report.top[0].logprob), .8650, 5e-5);
  EXPECT_NEAR(std::exp(report.top[3].logprob), .0021, 5e-5);
}

TEST_F(Processed, EqualsTheRawOneWhereNothingIsDone) {
  TokenId drawn = -1;
  const auto report = of("{}", kFour, 4, &drawn);
  const TokenReport raw = raw_report(kFour, drawn, 4);
  EXPECT_NEAR(report.logprob, raw.logprob, 1e-14);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(report.top[i].logprob, raw.top[i].logprob, 1e-14);
}

TEST_F(Processed, AtTemperatureZeroOneTokenHasAllOfIt) {
  TokenId drawn = -1;
  const auto report = of(R"({"temperature": 0, "logit_bias": {"3": 100}})", kFour, 4, &drawn);
  EXPECT_EQ(drawn, 3);
  EXPECT_EQ(report.logprob, 0);
  ASSERT_EQ(report.top.size(), 1u);
  EXPECT_EQ(report.top[0].id, 3);
  EXPECT_TRUE(of(R"({"temperature": 0})", kFour, 0).top.empty());
}

}  // namespace
}  // namespace kelda
