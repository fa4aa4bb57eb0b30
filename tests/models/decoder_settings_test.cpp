// What every decoder has is compared value by value in model_folder_test.cpp; here is the rest.
#include <gtest/gtest.h>

#include "base/error.h"
#include "models/huggingface/huggingface.h"

namespace kelda::models {
namespace {

constexpr const char* kSizes =
    R"("hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 96,
       "vocab_size": 100, "rms_norm_eps": 1e-5, "max_position_embeddings": 256)";

ConfigJson config(const std::string& more) {
  return ConfigJson::parse("{" + std::string(kSizes) + more + "}");
}

TEST(DecoderSettings, HeadsFollowFromTheWidthWhereTheFileDoesNotSay) {
  ConfigJson c = config("");
  Translation t{.architecture = "a"};
  translate_decoder(c, t);
  c.refuse_unread();
  EXPECT_EQ(t.metadata.integer("a.attention.key_length", 0, 100), 16);
  EXPECT_EQ(t.metadata.integer("a.attention.head_count_kv", 0, 100), 4);
}

TEST(DecoderSettings, WhatIsOfTrainingIsIgnored) {
  ConfigJson c = config(R"(, "attention_dropout": 0.1, "torch_dtype": "bfloat16", "use_cache": true)");
  Translation t{.architecture = "a"};
  translate_decoder(c, t);
  EXPECT_NO_THROW(c.refuse_unread());
}

TEST(DecoderSettings, LayerTypesAreFlagsOfTheWindow) {
  ConfigJson c = config(R"(, "layer_types": ["sliding_attention", "full_attention"])");
  Translation t{.architecture = "a"};
  translate_layer_types(c, t);
  const auto* flags =
      std::get_if<std::vector<bool>>(&t.metadata.find("a.attention.sliding_window_pattern")->variant());
  ASSERT_NE(flags, nullptr);
  EXPECT_EQ(*flags, (std::vector<bool>{true, false}));
  ConfigJson odd = config(R"(, "layer_types": ["linear_attention"])");
  EXPECT_THROW(translate_layer_types(odd, t), Error);
}

TEST(DecoderSettings, AWindowThatIsNotUsedIsNone) {
  ConfigJson c = config(R"(, "use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 2)");
  EXPECT_NO_THROW(refuse_windows(c));
  ConfigJson used = config(R"(, "use_sliding_window": true)");
  EXPECT_THROW(refuse_windows(used), Error);
  ConfigJson typed = config(R"(, "layer_types": ["full_attention", "sliding_attention"])");
  EXPECT_THROW(refuse_windows(typed), Error);
}

TEST(DecoderSettings, AScaleOfItsOwnIsStated) {
  ConfigJson same = config(R"(, "query_pre_attn_scalar": 16)"),
             other = config(R"(, "query_pre_attn_scalar": 4)");
  Translation t{.architecture = "a"};
  translate_decoder(same, t);
  translate_query_scalar(same, t);
  EXPECT_EQ(t.metadata.number("a.attention.scale", 0, 1), 0.25);
  translate_query_scalar(other, t);
  EXPECT_EQ(t.metadata.number("a.attention.scale", 0, 1), 0.5);
  ConfigJson absent = config("");
  translate_query_scalar(absent, t);
  EXPECT_EQ(t.metadata.number("a.attention.scale", 0, 1), 1.0 / 16);
}

TEST(DecoderSettings, WhatIsAbsentIsWhatTheClassHas) {
  const auto read = [](const std::string& more) {
    ConfigJson c = config(more);
    Translation t{.architecture = "a"};
    translate_decoder(c, t, {.rope_base = 1e6, .head_dim = 32, .n_kv_heads = 2});
    return t.metadata;
  };
  const Metadata absent = read(""), null = read(R"(, "num_key_value_heads": null)"),
                 stated = read(R"(, "num_key_value_heads": 1, "head_dim": 48, "rope_theta": 5000.0)");
  EXPECT_EQ(absent.number("a.rope.freq_base", 0, 1e9), 1e6);
  EXPECT_EQ(absent.integer("a.attention.key_length", 0, 100), 32);
  EXPECT_EQ(absent.integer("a.attention.head_count_kv", 0, 100), 2);
  EXPECT_EQ(null.integer("a.attention.head_count_kv", 0, 100), 4);
  EXPECT_EQ(stated.number("a.rope.freq_base", 0, 1e9), 5000);
  EXPECT_EQ(stated.integer("a.attention.key_length", 0, 100), 48);
  EXPECT_EQ(stated.integer("a.attention.head_count_kv", 0, 100), 1);
}

TEST(DecoderSettings, AnAbsentWindowIsTheClassesAndNullIsNone) {
  const auto window = [](const std::string& more) {
    ConfigJson c = config(more);
    Translation t{.architecture = "a"};
    translate_window(c, t, 4096);
    return t.metadata.integer("a.attention.sliding_window", 0, 1 << 20, 0);
  };
  EXPECT_EQ(window(""), 4096);
  EXPECT_EQ(window(R"(, "sliding_window": null)"), 0);
  EXPECT_EQ(window(R"(, "sliding_window": 7)"), 7);
  ConfigJson null = config(R"(, "sliding_window": null)");
  Translation t{.architecture = "a"};
  EXPECT_THROW(translate_window_of_some(null, t, 4096), Error);
}

TEST(DecoderSettings, ATypeOfNumbersIsText) {
  ConfigJson c = config(R"(, "torch_dtype": 16)");
  EXPECT_THROW(ignore_training(c), Error);
}

}  // namespace
}  // namespace kelda::models
