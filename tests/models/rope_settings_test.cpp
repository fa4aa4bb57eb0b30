// The scalings with values are in model_folder_test.cpp; here are the ways of writing them.
#include "models/huggingface/rope_settings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::models {
namespace {

Translation translated(const std::string& settings) {
  ConfigJson c = ConfigJson::parse(R"({"max_position_embeddings": 4096, )" + settings + "}");
  Translation t{.architecture = "a"};
  translate_rope(c, t, 64);
  c.refuse_unread();
  return t;
}

TEST(RopeSettings, OlderAndNewerFilesSayTheSame) {
  for (const char* settings :
       {R"("rope_theta": 500000.0, "rope_scaling": {"type": "linear", "factor": 4.0})",
        R"("rope_theta": 500000.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0})",
        R"("rope_parameters": {"rope_theta": 500000.0, "rope_type": "linear", "factor": 4.0})"}) {
    const Translation t = translated(settings);
    EXPECT_EQ(t.metadata.number("a.rope.freq_base", 0, 1e9), 500000.0);
    EXPECT_EQ(t.metadata.text("a.rope.scaling.type", ""), "linear");
    EXPECT_EQ(t.metadata.number("a.rope.scaling.factor", 0, 10), 4.0);
    EXPECT_EQ(t.metadata.integer("a.context_length", 0, 1 << 20), 4096);
  }
}

TEST(RopeSettings, WithoutAnyTheBaseIsTenThousand) {
  const Translation t = translated(R"("rope_scaling": null)");
  EXPECT_EQ(t.metadata.number("a.rope.freq_base", 0, 1e9), 10000.0);
  EXPECT_FALSE(t.metadata.has("a.rope.scaling.type"));
  EXPECT_FALSE(t.metadata.has("a.rope.dimension_count"));
}

TEST(RopeSettings, TheSameNumberTwiceIsFine) {
  const Translation t = translated(
      R"("rope_theta": 5000.0, "rope_parameters": {"rope_theta": 5000.0, "type": "su", "rope_type": "longrope",
         "long_factor": [)" +
      std::string("1.0") +
      [] {
        std::string more;
        for (int i = 1; i < 32; ++i) more += ", 1.0";
        return more + R"(], "short_factor": [1.0)" + more;
      }() +
      "]}");
  EXPECT_EQ(t.metadata.number("a.rope.freq_base", 0, 1e9), 5000.0);
}

TEST(RopeSettings, AnObjectForEachKindOfAttention) {
  const Translation t = translated(R"("rope_parameters": {
      "full_attention": {"rope_theta": 1000000.0, "rope_type": "linear", "factor": 8.0},
      "sliding_attention": {"rope_theta": 5000.0, "rope_type": "default"}})");
  EXPECT_EQ(t.metadata.number("a.rope.freq_base", 0, 1e9), 1e6);
  EXPECT_EQ(t.metadata.number("a.rope.freq_base_swa", 0, 1e9), 5000.0);
  EXPECT_EQ(t.metadata.number("a.rope.scaling.factor", 0, 10), 8.0);
}

TEST(RopeSettings, APartOfAHeadMayRotate) {
  EXPECT_EQ(translated(R"("partial_rotary_factor": 0.75)").metadata.integer("a.rope.dimension_count", 0, 64),
            48);
}

TEST(RopeSettings, WhatCannotBeIsNamed) {
  const auto refused = [](const char* settings, std::string_view names) {
    try {
      translated(settings);
      ADD_FAILURE() << settings;
    } catch (const Error& e) {
      EXPECT_NE(std::string_view(e.what()).find(names), std::string_view::npos) << e.what();
    }
  };
  refused(R"("rope_scaling": {"type": "dynamic", "factor": 2.0})", "rope_scaling.rope_type");
  refused(R"("rope_scaling": {"type": "linear"})", "rope_scaling.factor");
  refused(R"("rope_scaling": {"type": "linear", "factor": 2.0, "mystery": 1})", "rope_scaling.mystery");
  refused(
      R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 1.0,
              "original_max_position_embeddings": 64})",
      "low_freq_factor");
  refused(R"("rope_scaling": {"type": "longrope", "long_factor": [1.0], "short_factor": [1.0]})",
          "long_factor");
  refused(R"("rope_theta": 0)", "rope_theta");
  refused(R"("rope_theta": 5000.0, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"})",
          "rope_parameters.rope_theta is 10000");
  refused(R"("partial_rotary_factor": 0.5, "rope_parameters": {"partial_rotary_factor": 1.0})",
          "rope_parameters.partial_rotary_factor");
  refused(R"("original_max_position_embeddings": 1024, "rope_scaling": {"rope_type": "yarn", "factor": 2.0,
              "original_max_position_embeddings": 2048})",
          "rope_scaling.original_max_position_embeddings");
  refused(R"("rope_parameters": {"rope_type": "default"}, "rope_scaling": {"type": "linear", "factor": 2.0})",
          "rope_parameters and rope_scaling");
  refused(R"("rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2.0})", "rope_scaling.type");
}

}  // namespace
}  // namespace kelda::models
