#include "models/common_keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace kelda::models {
namespace {

// Keys of an architecture "a", over a config of 12 layers, 4 heads of 32 and 1,000 positions.
struct Case {
  Metadata m;
  ModelConfig c;

  Case() {
    c.n_layers = 12;
    c.hidden_size = 96;
    c.n_heads = 4;
    c.head_dim = 32;
    c.n_ctx_train = 1000;
    c.windows.assign(12, 0);
  }
  template <typename T>
  Case& with(const std::string& key, T value) {
    m.set("a." + key, MetadataValue(value));
    return *this;
  }
  template <typename Read>
  ModelConfig read(const Read& act) {
    ConfigKeys k(m, "a");
    act(k, c);
    k.refuse_unread();
    return c;
  }
  ModelConfig rope() {
    return read([](ConfigKeys& k, ModelConfig& config) { read_rope(k, config, false); });
  }
  ModelConfig windows(int64_t otherwise, int64_t period) {
    return read([&](ConfigKeys& k, ModelConfig& config) { read_windows(k, config, otherwise, period); });
  }
};

template <typename Act>
void expect_refused(ErrorCode code, std::string_view names, const Act& act) {
  try {
    act();
    ADD_FAILURE() << "no error: " << names;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(names), std::string::npos) << e.what();
  }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ReadNorm, TakesTheEpsilonOfTheKind) {
  EXPECT_EQ(Case().with("attention.layer_norm_rms_epsilon", 1e-6f).read(read_rms_norm).norm, NormKind::kRms);
  const ModelConfig c = Case().with("attention.layer_norm_epsilon", 1e-5f).read(read_layer_norm);
  EXPECT_EQ(c.norm, NormKind::kLayer);
  EXPECT_FLOAT_EQ(c.norm_eps, 1e-5f);
  for (const float bad : {kNan, -1.0f, 2.0f}) {
    expect_refused(ErrorCode::kBadInput, "a.attention.layer_norm_rms_epsilon",
                   [&] { Case().with("attention.layer_norm_rms_epsilon", bad).read(read_rms_norm); });
  }
  expect_refused(ErrorCode::kBadInput, "a.attention.layer_norm_epsilon",
                 [] { Case().read(read_layer_norm); });
}

TEST(ReadRope, NothingStretchesWithoutBeingAskedTo) {
  const ModelConfig c = Case().rope();
  EXPECT_EQ(c.rope.scaling, RopeScaling::kNone);
  EXPECT_EQ(c.rope.n_rot, 32);
  EXPECT_EQ(c.rope.theta, 10000.0);
  EXPECT_EQ(c.rope.attn_factor, 1.0);
}

TEST(ReadRope, LinearUnderItsNameAndTwoOlderOnes) {
  EXPECT_EQ(Case()
                .with("rope.scaling.type", std::string("linear"))
                .with("rope.scaling.factor", 4.0f)
                .rope()
                .rope.factor,
            4.0);
  EXPECT_EQ(Case().with("rope.scaling.factor", 4.0f).rope().rope.scaling, RopeScaling::kLinear);
  EXPECT_EQ(Case().with("rope.scale_linear", 2.0f).rope().rope.factor, 2.0);
  EXPECT_EQ(Case().with("rope.scaling.factor", 1.0f).rope().rope.scaling, RopeScaling::kNone);
}

TEST(ReadRope, YarnWithWhatTheFileSaysOfIt) {
  const auto yarn = [] {
    return Case()
        .with("rope.scaling.type", std::string("yarn"))
        .with("rope.scaling.factor", 4.0f)
        .with("rope.scaling.original_context_length", uint32_t{250});
  };
  const RopeConfig plain = yarn().rope().rope;
  EXPECT_EQ(plain.scaling, RopeScaling::kYarn);
  EXPECT_EQ(plain.original_context, 250);
  EXPECT_EQ(plain.beta_fast, 32.0);
  EXPECT_EQ(plain.beta_slow, 1.0);
  EXPECT_EQ(plain.attn_factor, 0.0);  // the paper's
  EXPECT_EQ(yarn().with("rope.scaling.yarn_beta_fast", 16.0f).rope().rope.beta_fast, 16.0);
  EXPECT_NEAR(yarn().with("rope.scaling.yarn_attn_factor", 1.5f).rope().rope.attn_factor, 1.5, 1e-9);
  const double paper = 1 + 0.1 * std::log(4.0);
  EXPECT_NEAR(yarn().with("rope.scaling.attn_factor", 0.5f).rope().rope.attn_factor, 0.5 * paper, 1e-9);
  EXPECT_NEAR(yarn().with("rope.scaling.yarn_log_multiplier", 1.0f).rope().rope.attn_factor, 1.0, 1e-9);
  expect_refused(ErrorCode::kUnsupported, "a.rope.scaling.yarn_ext_factor",
                 [&] { yarn().with("rope.scaling.yarn_ext_factor", 0.5f).rope(); });
  expect_refused(ErrorCode::kBadInput, "a.rope.scaling.yarn_beta_slow",
                 [&] { yarn().with("rope.scaling.yarn_beta_slow", 64.0f).rope(); });
}

TEST(ReadRope, WhatCannotBeIsNamed) {
  const auto refused = [](ErrorCode code, const std::string& key, auto value) {
    expect_refused(code, "a." + key, [&] { Case().with(key, value).rope(); });
  };
  refused(ErrorCode::kUnsupported, "rope.scaling.type", std::string("dynamic"));
  refused(ErrorCode::kUnsupported, "rope.scaling.yarn_beta_fast", 16.0f);  // without yarn
  refused(ErrorCode::kBadInput, "rope.scaling.factor", 0.0f);
  expect_refused(ErrorCode::kUnsupported, "a.rope.scaling.factor", [] {  // which of the two is meant?
    Case().with("rope.scaling.type", std::string("none")).with("rope.scaling.factor", 4.0f).rope();
  });
  expect_refused(ErrorCode::kUnsupported, "a.rope.scale_linear",
                 [] { Case().with("rope.scaling.factor", 4.0f).with("rope.scale_linear", 2.0f).rope(); });
  refused(ErrorCode::kBadInput, "rope.scaling.factor", kNan);
  refused(ErrorCode::kBadInput, "rope.scaling.attn_factor", -1.0f);
  refused(ErrorCode::kBadInput, "rope.dimension_count", uint32_t{0});
  refused(ErrorCode::kBadInput, "rope.dimension_count", uint32_t{31});
  refused(ErrorCode::kBadInput, "rope.dimension_count", uint32_t{34});
  refused(ErrorCode::kBadInput, "rope.freq_base", 0.0f);
  expect_refused(ErrorCode::kBadInput, "a.rope.scaling.factor",
                 [] { Case().with("rope.scaling.type", std::string("linear")).rope(); });
}

TEST(ReadLongRope, TheLongListIsForAWindowBeyondTheOriginalContext) {
  const auto read = [](uint32_t original) {
    return Case().with("rope.scaling.original_context_length", original).read(read_long_rope).rope;
  };
  EXPECT_TRUE(read(250).long_factors);
  EXPECT_EQ(read(250).factor, 4.0);
  EXPECT_FALSE(read(1000).long_factors);
  EXPECT_FALSE(read(4000).long_factors);
  EXPECT_EQ(read(4000).factor, 1.0);
}

TEST(ReadWindows, EveryLayerOrAPatternOrNone) {
  const auto layers = [](const ModelConfig& c) { return c.windows; };
  const std::vector<int64_t> none(12, 0), all(12, 64);
  EXPECT_EQ(layers(Case().windows(0, 0)), none);
  EXPECT_EQ(layers(Case().with("attention.sliding_window", uint32_t{64}).windows(0, 0)), all);
  EXPECT_EQ(layers(Case().with("attention.sliding_window", uint32_t{0}).windows(64, 6)), none);
  const std::vector<int64_t> context(12, 1000);
  EXPECT_EQ(layers(Case().with("attention.sliding_window", uint32_t{4096}).windows(0, 0)), context);
  const std::vector<int64_t> five_in_six = {64, 64, 64, 64, 64, 0, 64, 64, 64, 64, 64, 0};
  EXPECT_EQ(layers(Case().windows(64, 6)), five_in_six);
  const std::vector<int64_t> alternate = {64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0};
  EXPECT_EQ(layers(Case().windows(64, 2)), alternate);
  EXPECT_EQ(layers(Case().with("attention.sliding_window_pattern", uint32_t{2}).windows(64, 6)), alternate);
  std::vector<bool> flags(12, true);
  flags[5] = flags[11] = false;
  EXPECT_EQ(layers(Case().with("attention.sliding_window_pattern", flags).windows(64, 2)), five_in_six);
}

TEST(ReadWindows, WhatCannotBeIsNamed) {
  const auto refused = [](const std::string& key, auto value, ErrorCode code = ErrorCode::kBadInput) {
    expect_refused(code, "a." + key, [&] { Case().with(key, value).windows(64, 6); });
  };
  refused("attention.sliding_window", int32_t{-1});
  refused("attention.sliding_window", 512.0f);
  refused("attention.sliding_window_pattern", uint32_t{0});
  refused("attention.sliding_window_pattern", std::vector<bool>(11, true));
  refused("attention.sliding_window_pattern", std::string("alternate"));
  expect_refused(ErrorCode::kUnsupported, "sliding_window_pattern", [] {  // where all layers have the window
    Case().with("attention.sliding_window_pattern", uint32_t{2}).windows(64, 0);
  });
}

TEST(ReadExperts, CountsThatCannotBeAreNamed) {
  const auto experts = [](uint32_t n, uint32_t used, uint32_t width) {
    return Case()
        .with("expert_count", n)
        .with("expert_used_count", used)
        .with("expert_feed_forward_length", width)
        .read([](ConfigKeys& k, ModelConfig& m) { read_experts(k, m, /*normalised=*/true); });
  };
  const ModelConfig c = experts(8, 2, 64);
  EXPECT_EQ(c.n_experts, 8);
  EXPECT_EQ(c.n_experts_used, 2);
  EXPECT_TRUE(c.norm_topk_prob);
  expect_refused(ErrorCode::kBadInput, "a.expert_count", [&] { experts(0, 2, 64); });
  expect_refused(ErrorCode::kBadInput, "a.expert_count", [&] { experts(4'000'000'000u, 2, 64); });
  expect_refused(ErrorCode::kBadInput, "a.expert_used_count", [&] { experts(8, 0, 64); });
  expect_refused(ErrorCode::kBadInput, "a.expert_used_count", [&] { experts(8, 9, 64); });
  expect_refused(ErrorCode::kBadInput, "a.expert_feed_forward_length", [&] { experts(8, 2, 0); });
}

TEST(ReadExperts, TheSharedOneIsAsWideAsADenseBlockWhereTheFileDoesNotSay) {
  const ModelConfig said =
      Case().with("expert_shared_feed_forward_length", uint32_t{80}).read(read_shared_expert);
  EXPECT_EQ(said.shared_intermediate_size, 80);
  const ModelConfig not_said = Case().read([](ConfigKeys& k, ModelConfig& m) {
    m.intermediate_size = 96;
    read_shared_expert(k, m);
  });
  EXPECT_EQ(not_said.shared_intermediate_size, 96);
  expect_refused(ErrorCode::kBadInput, "a.expert_shared_feed_forward_length", [] {
    Case().with("expert_shared_feed_forward_length", uint32_t{0}).read(read_shared_expert);
  });
}

TEST(ReadSoftcapsAndScale, DefaultsAndRanges) {
  const auto caps = [](ConfigKeys& k, ModelConfig& c) { read_softcaps(k, c, 50, 30); };
  EXPECT_EQ(Case().read(caps).attention_softcap, 50.0f);
  EXPECT_EQ(Case().with("final_logit_softcapping", 0.0f).read(caps).final_softcap, 0.0f);
  expect_refused(ErrorCode::kBadInput, "a.attn_logit_softcapping",
                 [&] { Case().with("attn_logit_softcapping", -1.0f).read(caps); });
  const auto scale = [](ConfigKeys& k, ModelConfig& c) { read_attention_scale(k, c, 168); };
  EXPECT_EQ(Case().read(scale).attention_scale, 1.0f / std::sqrt(168.0f));
  EXPECT_EQ(Case().with("attention.scale", 0.25f).read(scale).attention_scale, 0.25f);
  expect_refused(ErrorCode::kBadInput, "a.attention.scale",
                 [&] { Case().with("attention.scale", 0.0f).read(scale); });
}

}  // namespace
}  // namespace kelda::models
