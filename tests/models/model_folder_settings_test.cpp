// Settings of config.json: those that contradict each other or the tensors, those of published files.
#include <gtest/gtest.h>

#include "models/golden_folder.h"

namespace kelda::models {
namespace {

TEST(ModelFolders, WhatIsSaidTwiceOrByHalvesIsRefused) {
  const auto refused = [](const char* name, const json& change,
                          std::initializer_list<std::string_view> parts) {
    expect_names(refusal_of(name, [&](Folder& f) { f.config().update(change); }), parts);
  };
  refused("gemma3", {{"sliding_window_pattern", 3}, {"_sliding_window_pattern", 2}},
          {"sliding_window_pattern is 3", "_sliding_window_pattern is 2"});
  refused("qwen2", {{"layer_types", {"full_attention"}}},
          {"layer_types has 1 entries", "num_hidden_layers is"});
  refused("qwen3moe", {{"num_experts", 6}, {"num_local_experts", 8}},
          {"num_experts is 6", "num_local_experts is 8"});
  for (const char* key : {"low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}) {
    expect_names(
        refusal_of("llama_rope_llama3", [&](Folder& f) { f.config()["rope_parameters"].erase(key); }), {key});
  }
  refused("llama", {{"mlp_bias", true}}, {"mlp_bias is true"});
  refused("llama", {{"num_key_value_heads", 3}}, {"num_attention_heads is 4", "num_key_value_heads is 3"});
  refused("qwen3moe", {{"num_experts_per_tok", 99}}, {"num_experts_per_tok is 99", "num_local_experts is 8"});
  refused("gemma2", {{"sliding_window_size", 7}}, {"sliding_window_size is 7"});
  refused("llama", {{"head_dim", 8}}, {"heads of 8 dimensions (head_dim)"});
  refused("llama", {{"pruned_heads", {{"0", {1}}}}}, {"pruned_heads.0"});
  refused(
      "phi3",
      {{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 1e4}, {"partial_rotary_factor", 0.1}}}},
      {"partial_rotary_factor is 0.1"});
  refused("gpt2", {{"n_head", 5}}, {"n_embd is 64", "n_head is 5"});
  refused("phi3_long", {{"original_max_position_embeddings", 1}}, {"original_max_position_embeddings"});
  expect_names(refusal_of("llama_rope_yarn",
                          [](Folder& f) {
                            f.config()["rope_parameters"].update({{"beta_fast", 1}, {"beta_slow", 32}});
                          }),
               {"rope_parameters.beta_fast is 1", "rope_parameters.beta_slow is 32"});
}

TEST(ModelFolders, BiasesAreThereWhereConfigSaysSoAndNowhereElse) {
  const auto biased = [](bool stated) {
    return [stated](Folder& f) { f.config()["attention_bias"] = stated; };
  };
  expect_names(refusal_of("llama", biased(true)),
               {"attention_bias of config.json is true", "model.layers.0.self_attn.q_proj.bias"});
  expect_names(refusal_of("llama_biases", biased(false)),
               {"attention_bias of config.json is not true", "model.layers.0.self_attn.q_proj.bias"});
  expect_names(refusal_of("llama_biases", [](Folder& f) { f.config().erase("attention_bias"); }),
               {"attention_bias of config.json is not true"});
}

TEST(ModelFolders, YarnReachesAsFarAsItSays) {
  const auto context = [](const json& rope) {
    return config_of("llama", [&](json& c) { c["rope_parameters"].update(rope); }).n_ctx_train;
  };
  EXPECT_EQ(context(json::object()), 256);
  json yarn = {{"rope_type", "yarn"}, {"factor", 4}};
  EXPECT_EQ(context(yarn), 1024);
  yarn["original_max_position_embeddings"] = 64;
  EXPECT_EQ(context(yarn), 256);
  yarn["original_max_position_embeddings"] = 100;
  EXPECT_EQ(context(yarn), 400);
  EXPECT_EQ(context({{"rope_type", "linear"}, {"factor", 4}}), 256);
  EXPECT_EQ(config_of("llama",
                      [](json& c) {
                        c["rope_parameters"].update({{"rope_type", "linear"}, {"factor", 4}});
                        c["max_sequence_length"] = 1024;
                      })
                .n_ctx_train,
            1024);
  const ModelConfig phi3 = config_of("phi3_long", [](json& c) {
    c.erase("original_max_position_embeddings");
    c["rope_parameters"].erase("original_max_position_embeddings");
    c["max_position_embeddings"] = 8192;
  });
  EXPECT_EQ(phi3.rope.original_context, 4096);
}

TEST(ModelFolders, SettingsOfPublishedFilesThatChangeNothing) {
  const auto accepts = [](const char* name, const json& more) {
    EXPECT_NO_THROW(config_of(name, [&](json& c) { c.update(more); })) << name;
  };
  accepts("phi3", {{"full_attn_mod", 1}, {"interpolate_factor", 1}, {"lm_head_bias", false}});
  accepts("gpt2",
          {{"n_special", 0}, {"predict_special_tokens", true}, {"output_past", true}, {"_num_labels", 1}});
  accepts("llama", {{"tokenizer_class", "LlamaTokenizer"},
                    {"torchscript", false},
                    {"use_bfloat16", false},
                    {"max_sequence_length", 2048}});
  accepts("gemma2", {{"sliding_window_size", golden_named("gemma2")["config"]["sliding_window"]}});
  accepts("llama", {{"_attn_implementation_autoset", true},
                    {"top_k", 50},
                    {"pruned_heads", json::object()},
                    {"layer_types", {"full_attention", "full_attention"}}});
  accepts("qwen3moe", {{"num_experts", golden_named("qwen3moe")["config"]["num_local_experts"]}});
  expect_names(refusal_of("phi3", [](Folder& f) { f.config()["full_attn_mod"] = 2; }),
               {"full_attn_mod is 2"});
}

}  // namespace
}  // namespace kelda::models
