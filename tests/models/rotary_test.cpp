// Frequencies under each scaling, against transformers' own (tests/golden/families through the whole network)
// and against the formulas here.
#include "models/layers/rotary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "models/huggingface/rope_settings.h"

namespace kelda::models {
namespace {

RopeConfig plain(int64_t n_rot = 64, double theta = 10000.0) { return {.theta = theta, .n_rot = n_rot}; }

// The factors that a model folder with these rope_parameters is given: Llama 3's scaling has no other form
// here.
std::vector<float> translated_factors(const nlohmann::json& parameters, int64_t head_dim) {
  const nlohmann::json settings = {{"max_position_embeddings", 131072}, {"rope_parameters", parameters}};
  ConfigJson config = ConfigJson::parse(settings.dump());
  Translation t{.architecture = "llama"};
  translate_rope(config, t, head_dim);
  return t.tensors.at("rope_freqs.weight");
}

TEST(Frequencies, AreThePaperWhereNothingIsStretched) {
  const auto f = scaled_frequencies(plain(), {});
  ASSERT_EQ(f.per_token.size(), 32u);
  EXPECT_EQ(f.magnitude, 1.0);
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_NEAR(f.per_token[i], std::pow(10000.0, -static_cast<double>(i) / 32), 1e-15);
}

TEST(Frequencies, LinearDividesAllAndFactorsDivideEach) {
  RopeConfig rope = plain();
  const auto before = scaled_frequencies(rope, {});
  rope.scaling = RopeScaling::kLinear;
  rope.factor = 4;
  std::vector<float> factors(32);
  for (std::size_t i = 0; i < 32; ++i) factors[i] = 1.0f + 0.5f * static_cast<float>(i);
  const auto linear = scaled_frequencies(rope, {});
  const auto with_factors = scaled_frequencies(plain(), factors);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(linear.per_token[i], before.per_token[i] / 4);
    EXPECT_EQ(with_factors.per_token[i], before.per_token[i] / double{factors[i]});
  }
}

// Llama 3.1's numbers: 8, 1, 4, 8192 at theta 500,000 and 128 dimensions. Left out, an angle at position
// 8,192 would be off by far more than a turn.
TEST(Frequencies, Llama3KeepsShortWavesDividesLongOnesAndRampsBetween) {
  const RopeConfig rope = plain(128, 500000.0);
  const auto before = scaled_frequencies(rope, {});
  const auto f = scaled_frequencies(rope, translated_factors({{"rope_type", "llama3"},
                                                              {"rope_theta", 500000.0},
                                                              {"factor", 8.0},
                                                              {"low_freq_factor", 1.0},
                                                              {"high_freq_factor", 4.0},
                                                              {"original_max_position_embeddings", 8192}},
                                                             128));
  int kept = 0, divided = 0, between = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double wavelength = 2 * M_PI / before.per_token[i];
    double expected = before.per_token[i];
    if (wavelength > 8192.0) {
      expected /= 8;
      ++divided;
    } else if (wavelength >= 2048.0) {
      const double smooth = (8192.0 / wavelength - 1) / 3;
      expected = (1 - smooth) * expected / 8 + smooth * expected;
      ++between;
    } else {
      ++kept;
    }
    EXPECT_NEAR(f.per_token[i], expected, 1e-7 * expected) << i;  // a factor is a float32
  }
  EXPECT_EQ(kept + divided + between, 64);
  EXPECT_GT(kept, 20);
  EXPECT_GT(divided, 20);
  EXPECT_GT(between, 3);
  EXPECT_GT(std::abs(before.per_token[63] - f.per_token[63]) * 20000, 0.03);
}

// YaRN with factor 4 from 4,096 at theta 10,000 and 128 dimensions: pairs up to 20 turn more than 32 times
// within the original context and stay, those from 46 on turn less than once.
TEST(Frequencies, YarnRampsOverPairsAndEnlargesTheResult) {
  RopeConfig rope = plain(128);
  const auto before = scaled_frequencies(rope, {});
  rope.scaling = RopeScaling::kYarn;
  rope.factor = 4;
  rope.original_context = 4096;
  const auto f = scaled_frequencies(rope, {});
  EXPECT_NEAR(f.magnitude, 1.138629436, 1e-9);  // 0.1 ln 4 + 1
  const auto ratio = [&](std::size_t i) { return f.per_token[i] / before.per_token[i]; };
  for (std::size_t i = 0; i <= 20; ++i) EXPECT_EQ(ratio(i), 1.0) << i;
  for (std::size_t i = 46; i < 64; ++i) EXPECT_NEAR(ratio(i), 0.25, 1e-12) << i;
  EXPECT_NEAR(ratio(33), 1 - 0.75 * 13 / 26, 1e-12);
  rope.attn_factor = 0.5;
  EXPECT_EQ(scaled_frequencies(rope, {}).magnitude, 0.5);
}

// transformers computes them in float32: an angle at position 20,000 is within 0.01 of ours, and cosines of
// low positions within 1e-6.
TEST(Frequencies, AreThoseOfTransformers) {
  const auto golden = nlohmann::json::parse(
      read_text(std::string(KELDA_SOURCE_DIR) + "/tests/golden/rope_frequencies.json", 1 << 20));
  int n = 0;
  for (const auto& c : golden["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    RopeConfig rope = plain(golden["head_dim"], c["rope_theta"]);
    const std::string type = c["rope_type"];
    std::vector<float> factors;
    if (type == "llama3") {
      nlohmann::json parameters = c;
      for (const char* not_a_setting : {"name", "frequencies", "magnitude"}) parameters.erase(not_a_setting);
      factors = translated_factors(parameters, golden["head_dim"]);
    } else {
      rope.scaling = type == "linear" ? RopeScaling::kLinear : RopeScaling::kYarn;
      rope.factor = c["factor"];
      rope.original_context = c.value("original_max_position_embeddings", int64_t{0});
      rope.beta_fast = c.value("beta_fast", rope.beta_fast);
      rope.beta_slow = c.value("beta_slow", rope.beta_slow);
      rope.attn_factor = c.value("attention_factor", 0.0);
    }
    const auto f = scaled_frequencies(rope, factors);
    EXPECT_NEAR(f.magnitude, c["magnitude"], 1e-12);
    for (std::size_t i = 0; i < f.per_token.size(); ++i, ++n) {
      const double expected = c["frequencies"][i];
      EXPECT_NEAR(f.per_token[i], expected, 4e-7 * expected) << i;
    }
  }
  EXPECT_EQ(n, 4 * 64);
}

TEST(Frequencies, LongRopeDerivesItsMagnitudeWhereTheFileHasNone) {
  RopeConfig rope = plain(96);
  rope.scaling = RopeScaling::kLongRope;
  rope.original_context = 4096;
  rope.factor = 32;
  const std::vector<float> factors(48, 2.0f);
  EXPECT_NEAR(scaled_frequencies(rope, factors).magnitude, 1.1902380714, 1e-9);  // √(1 + ln 32 / ln 4096)
  EXPECT_EQ(scaled_frequencies(rope, {}).magnitude, 1.0);  // a file without lists is not stretched
}

}  // namespace
}  // namespace kelda::models
