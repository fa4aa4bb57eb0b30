#include "models/rope_override.h"

#include <gtest/gtest.h>

#include "base/error_of.h"
#include "models/tiny_model.h"

namespace kelda::models {
namespace {

using Items = std::vector<Metadata::Item>;

Metadata tiny(std::string_view family, const Items& more = {}) {
  return testing::tiny_metadata(*find_family(family), {.n_ctx = 512, .more = more});
}

// The same as a file that says it.
void expect_as_stated(const RopeOverride& wanted, const Items& stated, int64_t n_ctx,
                      const Items& before = {}) {
  const ModelConfig got = config_with_rope(tiny("llama", before), wanted);
  const ModelConfig want = read_config(tiny("llama", stated));
  EXPECT_EQ(got.rope.theta, want.rope.theta);
  EXPECT_EQ(got.rope.scaling, want.rope.scaling);
  EXPECT_EQ(got.rope.factor, want.rope.factor);
  if (want.rope.scaling == RopeScaling::kYarn) {
    EXPECT_EQ(got.rope.original_context, want.rope.original_context);
  }
  EXPECT_EQ(got.n_ctx_train, n_ctx);
}

TEST(RopeOverride, IsAsIfTheFileSaidIt) {
  expect_as_stated({.scaling = "linear", .factor = 4},
                   {{"llama.rope.scaling.type", std::string("linear")}, {"llama.rope.scaling.factor", 4.0f}},
                   2048);
  const Items yarn = {{"llama.rope.scaling.type", std::string("yarn")},
                      {"llama.rope.scaling.factor", 2.5f},
                      {"llama.rope.scaling.original_context_length", uint32_t{512}}};
  expect_as_stated({.scaling = "yarn", .factor = 2.5}, yarn, 1280);
  expect_as_stated({.base = 5e5}, {{"llama.rope.freq_base", 5e5f}}, 512);
  expect_as_stated({}, {}, 512);
}

TEST(RopeOverride, ReplacesTheFilesScaling) {
  const Items before = {{"llama.rope.scaling.type", std::string("yarn")},
                        {"llama.rope.scaling.factor", 4.0f},
                        {"llama.rope.scaling.yarn_beta_fast", 16.0f},
                        {"llama.rope.scaling.original_context_length", uint32_t{128}}};
  expect_as_stated({.scaling = "none"}, {}, 128, before);
  expect_as_stated({.scaling = "linear", .factor = 2}, {{"llama.rope.scale_linear", 2.0f}}, 256, before);
  expect_as_stated({.scaling = "linear", .factor = 2, .original = 300}, {{"llama.rope.scale_linear", 2.0f}},
                   600, before);
}

TEST(RopeOverride, ReplacesTheFilesFactorsToo) {
  EXPECT_TRUE(config_with_rope(tiny("llama"), {.base = 5e5}).rope.file_factors);
  EXPECT_FALSE(config_with_rope(tiny("llama"), {.scaling = "none"}).rope.file_factors);
  EXPECT_FALSE(config_with_rope(tiny("llama"), {.scaling = "linear", .factor = 2}).rope.file_factors);
  const ModelConfig phi = config_with_rope(
      tiny("phi3", {{"phi3.rope.scaling.original_context_length", uint32_t{128}}}), {.scaling = "none"});
  EXPECT_FALSE(phi.rope.file_factors || phi.rope.long_factors);
  EXPECT_EQ(phi.n_ctx_train, 128);
}

TEST(RopeOverride, WithoutTheFilesFactorsTheContextIsTheOneBeforeThem) {
  const auto context = [](const Metadata& m, const RopeOverride& wanted) {
    return config_with_rope(m, wanted, /*has_factors=*/true).n_ctx_train;
  };
  const Metadata silent = tiny("llama");
  const Metadata stated = tiny("llama", {{"llama.rope.scaling.original_context_length", uint32_t{64}}});
  EXPECT_EQ(context(stated, {.scaling = "none"}), 64);
  EXPECT_EQ(context(stated, {.scaling = "linear", .factor = 2}), 128);
  EXPECT_EQ(context(silent, {.scaling = "yarn", .factor = 4, .original = 32}), 128);
  EXPECT_EQ(context(silent, {.scaling = "none", .original = 32}), 32);
  EXPECT_EQ(context(silent, {.base = 5e5}), 512);
  EXPECT_NE(
      error_of(ErrorCode::kUsage, [&] { context(silent, {.scaling = "none"}); }).find("original context"),
      std::string::npos);
}

TEST(RopeOverride, WhatMeansNothingIsRefused) {
  const auto code = [](std::string_view family, const RopeOverride& wanted) {
    try {
      require_meaning(wanted);
      config_with_rope(tiny(family), wanted);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::kInternal;
  };
  EXPECT_EQ(code("llama", {.scaling = "ntk", .factor = 2}), ErrorCode::kUsage);
  EXPECT_EQ(code("llama", {.scaling = "linear"}), ErrorCode::kUsage);
  EXPECT_EQ(code("llama", {.factor = 2}), ErrorCode::kUsage);
  EXPECT_EQ(code("llama", {.scaling = "none", .factor = 2}), ErrorCode::kUsage);
  EXPECT_EQ(code("llama", {.original = 100}), ErrorCode::kUsage);
  EXPECT_EQ(code("gpt2", {.base = 1e6}), ErrorCode::kUnsupported);
}

TEST(RopeOverride, LongFactorsAreForWindowsBeyondTheOriginalContext) {
  const auto fitted = [](int64_t window, uint32_t original = 128) {
    ModelConfig c = read_config(tiny("phi3", {{"phi3.rope.scaling.original_context_length", original}}));
    fit_long_rope(c, window);
    EXPECT_EQ(c.n_ctx_train, 512);
    return c;
  };
  EXPECT_TRUE(fitted(0).rope.long_factors);
  EXPECT_TRUE(fitted(129).rope.long_factors);
  EXPECT_FALSE(fitted(128).rope.long_factors);
  EXPECT_EQ(fitted(128).rope.factor, 4) << "the magnitude stays that of the stretched model";
  EXPECT_FALSE(fitted(0, 512).rope.long_factors);
  EXPECT_NO_THROW(require_fitting_rope(fitted(128), 128));
  EXPECT_THROW(require_fitting_rope(fitted(128), 129), Error);
  EXPECT_NO_THROW(require_fitting_rope(fitted(0), 512));
  ModelConfig llama = read_config(tiny("llama"));
  fit_long_rope(llama, 16);
  EXPECT_NO_THROW(require_fitting_rope(llama, 512));
}

TEST(RopeOverride, AFamilyWithAScalingOfItsOwnRefusesAnother) {
  EXPECT_THROW(config_with_rope(tiny("phi3"), {.scaling = "yarn", .factor = 2}), Error);
}

}  // namespace
}  // namespace kelda::models
