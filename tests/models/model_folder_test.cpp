// Folders as Hugging Face's tools write them: the tiny networks of tests/golden/families, stored under the
// names and in the layouts of transformers, must be what their GGUF files are.
#include "models/huggingface/model_folder.h"

#include <gtest/gtest.h>

#include "learned/weights.h"
#include "models/golden_folder.h"

namespace kelda::models {
namespace {

class ModelFolder : public ::testing::TestWithParam<fs::path> {};

// The configuration that the golden file states in GGUF's words, field by field.
void expect_config(const json& golden, const Metadata& metadata) {
  const ModelConfig a = read_config(metadata), b = read_config(testing::golden_metadata(golden));
  EXPECT_EQ(a.vocab_size, b.vocab_size);
  EXPECT_EQ(a.hidden_size, b.hidden_size);
  EXPECT_EQ(a.intermediate_size, b.intermediate_size);
  EXPECT_EQ(a.n_layers, b.n_layers);
  EXPECT_EQ(a.n_heads, b.n_heads);
  EXPECT_EQ(a.n_kv_heads, b.n_kv_heads);
  EXPECT_EQ(a.head_dim, b.head_dim);
  EXPECT_EQ(a.n_ctx_train, b.n_ctx_train);
  EXPECT_EQ(a.norm_eps, b.norm_eps);
  EXPECT_EQ(a.windows, b.windows);
  EXPECT_EQ(a.attention_scale, b.attention_scale);
  EXPECT_EQ(a.attention_softcap, b.attention_softcap);
  EXPECT_EQ(a.final_softcap, b.final_softcap);
  EXPECT_EQ(a.n_experts, b.n_experts);
  EXPECT_EQ(a.n_experts_used, b.n_experts_used);
  EXPECT_EQ(a.expert_intermediate_size, b.expert_intermediate_size);
  EXPECT_EQ(a.norm_topk_prob, b.norm_topk_prob);
  EXPECT_EQ(a.local_rope, b.local_rope);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.causal, b.causal);
  EXPECT_EQ(a.n_token_types, b.n_token_types);
  const auto expect_rope = [](const RopeConfig& x, const RopeConfig& y) {
    EXPECT_EQ(x.theta, y.theta);
    EXPECT_EQ(x.n_rot, y.n_rot);
    EXPECT_EQ(x.interleaved, y.interleaved);
    EXPECT_EQ(x.scaling, y.scaling);
    EXPECT_EQ(x.factor, y.factor);
    EXPECT_EQ(x.original_context, y.original_context);
    EXPECT_EQ(x.attn_factor, y.attn_factor);
    EXPECT_EQ(x.long_factors, y.long_factors);
  };
  expect_rope(a.rope, b.rope);
  if (a.local_rope) expect_rope(a.rope_windowed, b.rope_windowed);
}

TEST_P(ModelFolder, IsWhatItsGgufFileIs) {
  const json golden = testing::family_golden(GetParam());
  const Folder folder(golden);
  const auto file = folder.open();
  EXPECT_EQ(file->container(), "safetensors");
  expect_config(golden, file->metadata());
  std::size_t n = 0;
  for (const auto& [name, shape] : golden["tensors"].items()) {
    SCOPED_TRACE(name);
    const TensorInfo* t = file->find(name);
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->shape, shape.get<std::vector<int64_t>>());
    std::vector<float> values(static_cast<std::size_t>(t->n_elements()));
    ASSERT_EQ(t->bytes, values.size() * sizeof(float));
    file->read(*t, 0, std::as_writable_bytes(std::span(values)));
    const std::vector<float> wanted = testing::golden_values(golden, name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // A norm's weight was stored as its difference to 1, in float32.
      const bool shifted = name.find("norm") != std::string::npos;
      ASSERT_LE(std::abs(values[i] - wanted[i]), shifted ? 1.2e-7f : 0.0f) << i;
    }
    // In pieces: rows from the middle.
    const uint64_t row = t->bytes / static_cast<uint64_t>(t->rows()),
                   from = row * (static_cast<uint64_t>(t->rows()) / 2);
    std::vector<std::byte> tail(t->bytes - from);
    file->read(*t, from, tail);
    EXPECT_EQ(std::memcmp(tail.data(), reinterpret_cast<const std::byte*>(values.data()) + from, tail.size()),
              0);
    ++n;
  }
  EXPECT_EQ(file->tensors().size(), n);
}

INSTANTIATE_TEST_SUITE_P(Families, ModelFolder, ::testing::ValuesIn(testing::family_goldens()),
                         [](const auto& each) { return each.param.stem().string(); });

TEST(ModelFolders, WhatIsWrongIsNamed) {
  const json golden = golden_named("llama");
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto refusal = [&](const std::function<void(Folder&)>& change) {
    Folder folder(golden);
    change(folder);
    return folder.refusal();
  };
  contains(refusal([](Folder& f) { f.config()["architectures"] = {"OtherForCausalLM"}; }),
           "\"OtherForCausalLM\"");
  contains(refusal([](Folder& f) { f.config().erase("architectures"); }), "architectures");
  contains(refusal([](Folder& f) { f.config().erase("hidden_size"); }), "hidden_size is missing");
  contains(refusal([](Folder& f) { f.config()["num_attention_heads"] = 0; }), "num_attention_heads is 0");
  contains(refusal([](Folder& f) { f.config()["num_hidden_layers"] = "two"; }), "num_hidden_layers");
  contains(refusal([](Folder& f) { f.config()["rms_norm_eps"] = -1; }), "rms_norm_eps");
  contains(refusal([](Folder& f) { f.config()["hidden_act"] = "relu"; }), "hidden_act");
  contains(refusal([](Folder& f) {
             f.config()["quantization_config"] = {{"bits", 4}};
           }),
           "quantization_config");
  contains(refusal([](Folder& f) { f.config()["rope_parameters"]["rope_type"] = "dynamic"; }),
           "rope_parameters.rope_type");
  contains(refusal([](Folder& f) { f.config()["rope_parameters"]["mystery"] = 1; }),
           "rope_parameters.mystery");
  contains(refusal([](Folder& f) { f.config()["rope_parameters"]["partial_rotary_factor"] = 0.5; }),
           "partial_rotary_factor");
  contains(refusal([](Folder& f) { f.tensors().erase("model.layers.1.mlp.up_proj.weight"); }),
           "blk.1.ffn_up.weight");
  for (const std::string name : {"self_attn.q_proj", "self_attn.k_proj", "mlp.up_proj", "input_layernorm"}) {
    contains(refusal([&](Folder& f) {
               f.tensors()["model.layers.0." + name + ".weight"] = {{}, {1}};
             }),
             name);
  }
  contains(refusal([](Folder& f) {
             f.tensors()["model.extra.weight"] = {{4}, {1, 2, 3, 4}};
           }),
           "model.extra.weight");
  contains(refusal([](Folder& f) {
             f.tensors()["layers.0.mlp.up_proj.weight"] = f.tensors()["model.layers.0.mlp.up_proj.weight"];
           }),
           "the same part of the model");
  contains(refusal([](Folder& f) {
             std::swap(f.tensors()["model.layers.0.mlp.up_proj.weight"].shape[0],
                       f.tensors()["model.layers.0.mlp.up_proj.weight"].shape[1]);
           }),
           "blk.0.ffn_up.weight");
}

TEST(ModelFolders, AnEncodersPartsThatNothingUsesAreLeftOut) {
  const json golden = golden_named("bert");
  Folder plain(golden), prefixed(golden);
  plain.tensors()["pooler.dense.weight"] = {{4, 4}, std::vector<float>(16)};
  plain.tensors()["pooler.dense.bias"] = {{4}, std::vector<float>(4)};
  plain.tensors()["embeddings.position_ids"] = {{1, 4}, std::vector<float>(4)};
  auto& tensors = prefixed.tensors();
  for (const auto& [name, t] : plain.tensors()) tensors["bert." + name] = t;
  std::erase_if(tensors, [](const auto& item) { return !item.first.starts_with("bert."); });
  for (const Folder* folder : {&plain, &prefixed}) {
    const auto file = folder->open();
    EXPECT_EQ(file->tensors().size(), golden["tensors"].size());
    EXPECT_NE(file->find("blk.2.layer_output_norm.bias"), nullptr);
    EXPECT_EQ(read_config(file->metadata()).pooling, Pooling::kNone) << "there is no modules.json";
  }
}

TEST(ModelFolders, AnEncoderOfOtherArithmeticIsRefused) {
  const auto refusal = [](const char* key, const json& value) {
    Folder folder(golden_named("bert"));
    folder.config()[key] = value;
    return folder.refusal();
  };
  for (const auto& [key, value] : {std::pair<const char*, json>("hidden_act", "gelu_new"),
                                   {"position_embedding_type", "relative_key"},
                                   {"is_decoder", true},
                                   {"type_vocab_size", 0},
                                   {"num_attention_heads", 3},
                                   {"mystery", 1}})
    EXPECT_NE(refusal(key, value).find(key), std::string::npos);
}

TEST(ModelFolders, ACopyOfTheEmbeddingIsNotKeptTwice) {
  const json golden = golden_named("qwen2");
  Folder folder(golden);
  ASSERT_TRUE(golden["config"]["tie_word_embeddings"].get<bool>());
  folder.tensors()["lm_head.weight"] = folder.tensors()["model.embed_tokens.weight"];
  EXPECT_EQ(folder.open()->find("output.weight"), nullptr);
}

constexpr const char* kTied = "tie_word_embeddings";

TEST(ModelFolders, AHeadOfItsOwnIsKeptWhereTheFileDoesNotSayTied) {
  Folder folder(golden_named("llama"));
  folder.config().erase(kTied);
  EXPECT_NE(folder.open()->find("output.weight"), nullptr);
  for (const char* name : {"gemma2", "gemma3", "gpt2", "bert"}) {  // whose classes tie
    Folder tied(golden_named(name));
    tied.config().erase(kTied);
    EXPECT_EQ(tied.open()->find("output.weight"), nullptr) << name;
  }
}

TEST(ModelFolders, WhatTheHeadIsMustBeSaidAndStoredAlike) {
  const auto without_head = [](Folder& f) { f.tensors().erase("lm_head.weight"); };
  expect_names(refusal_of("llama", without_head),
               {"tie_word_embeddings of config.json is false", "lm_head.weight"});
  expect_names(refusal_of("qwen2", [](Folder& f) { f.config().erase(kTied); }),
               {"tie_word_embeddings of config.json is absent, which is false", "lm_head.weight"});
  expect_names(refusal_of("llama", [](Folder& f) { f.config()[kTied] = true; }),
               {"tie_word_embeddings of config.json is true", "lm_head.weight", "model.embed_tokens.weight"});
}

TEST(ModelFolders, AWindowThatIsNeverLeftKeepsItsRotaryBase) {
  for (const int window : {256, 300}) {  // the context is 256
    const ModelConfig c = config_of("gemma3", [&](json& j) { j["sliding_window"] = window; });
    EXPECT_TRUE(c.local_rope);
    EXPECT_EQ(c.windows, std::vector<int64_t>({256, 256, 256, 256, 256, 0, 256}));
  }
}

TEST(ModelFolders, WhatIsAbsentIsWhatTransformersTakes) {
  const ModelConfig gemma2 = config_of("gemma2", [](json& c) {
    for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar",
                            "sliding_window", "head_dim", "num_key_value_heads", "layer_types"})
      c.erase(key);
    c["max_position_embeddings"] = 8192;
  });
  EXPECT_EQ(gemma2.attention_softcap, 50);
  EXPECT_EQ(gemma2.final_softcap, 30);
  EXPECT_EQ(gemma2.attention_scale, 1.0f / 16);
  EXPECT_EQ(gemma2.head_dim, 256);
  EXPECT_EQ(gemma2.n_kv_heads, 4);
  EXPECT_EQ(gemma2.windows, std::vector<int64_t>({4096, 0, 4096, 0}));
  const ModelConfig uncapped = config_of("gemma2", [](json& c) { c["attn_logit_softcapping"] = nullptr; });
  EXPECT_EQ(uncapped.attention_softcap, 0);
  const ModelConfig gemma3 = config_of("gemma3", [](json& c) {
    for (const char* key : {"rope_parameters", "sliding_window", "query_pre_attn_scalar"}) c.erase(key);
    c["max_position_embeddings"] = 8192;
  });
  EXPECT_EQ(gemma3.rope.theta, 1e6);
  EXPECT_EQ(gemma3.rope_windowed.theta, 1e4);
  EXPECT_EQ(gemma3.windows[0], 4096);
  EXPECT_EQ(gemma3.attention_scale, 1.0f / 16);
  EXPECT_EQ(config_of("qwen3", [](json& c) { c.erase("head_dim"); }).head_dim, 128);
}

TEST(ModelFolders, MistralHasAWindowUnlessItIsNullAndLlamaHasNone) {
  const auto mistral = [](const std::function<void(json&)>& change) {
    return config_of("mistral_window", [&](json& c) {
      c["max_position_embeddings"] = 8192;
      change(c);
    });
  };
  EXPECT_EQ(mistral([](json& c) { c.erase("sliding_window"); }).windows[0], 4096);
  EXPECT_EQ(mistral([](json& c) { c["sliding_window"] = nullptr; }).windows[0], 0);
  EXPECT_EQ(config_of("llama", [](json& c) { c["sliding_window"] = nullptr; }).windows[0], 0);
  expect_names(refusal_of("llama", [](Folder& f) { f.config()["sliding_window"] = 64; }),
               {"sliding_window is 64", "LlamaForCausalLM"});
}

TEST(ModelFolders, SettingsThatContradictEachOtherAreRefused) {
  expect_names(refusal_of("llama", [](Folder& f) { f.config()["rope_theta"] = 5000.0; }),
               {"config.json: rope_theta is 5000", "rope_parameters.rope_theta is 10000"});
  expect_names(refusal_of("gemma3", [](Folder& f) { f.config()["rope_local_base_freq"] = 5000.0; }),
               {"rope_local_base_freq is 5000", "rope_theta is 10000"});
  expect_names(refusal_of("gemma3", [](Folder& f) { f.config()["sliding_window"] = nullptr; }),
               {"sliding_window is null"});
  expect_names(refusal_of("llama", [](Folder& f) { f.config()["model_type"] = "mistral"; }),
               {"model_type is \"mistral\"", "LlamaForCausalLM"});
  expect_names(refusal_of("llama", [](Folder& f) { f.config()["dtype"] = 16; }), {"dtype is"});
}

TEST(ModelFolders, TensorsHaveTheFoldersNamesInErrors) {
  Folder folder(golden_named("llama"));
  const auto file = folder.open();
  EXPECT_EQ(file->shown_name("blk.1.attn_k.weight"),
            "\"model.layers.1.self_attn.k_proj.weight\" (blk.1.attn_k.weight of a GGUF file)");
  EXPECT_EQ(file->shown_name("blk.7.attn_k.bias"),
            "\"model.layers.7.self_attn.k_proj.bias\" (blk.7.attn_k.bias of a GGUF file)");
  EXPECT_EQ(file->shown_name("output.weight"), "\"lm_head.weight\" (output.weight of a GGUF file)");
  EXPECT_EQ(file->shown_name("mystery"), "\"mystery\"");
  EXPECT_EQ(file->metadata_path().filename(), "config.json");
}

TEST(ModelFolders, ATensorThatCannotBeIsNamedWithItsFile) {
  constexpr const char* kQuery = "model.layers.0.self_attn.q_proj.weight";
  expect_names(refusal_of("llama", [](Folder& f) { f.config()["head_dim"] = 48; }),
               {"model.safetensors: tensor", "multiple of 48"});
  expect_names(refusal_of("llama",
                          [&](Folder& f) {
                            f.tensors()[kQuery] = {{0, 64}, {}};
                          }),
               {kQuery, "it holds no numbers"});
  expect_names(refusal_of("llama",
                          [&](Folder& f) {
                            f.tensors()[kQuery] = {{}, {1}};
                          }),
               {kQuery, "1 to 4 dimensions"});
  expect_names(refusal_of("llama",
                          [&](Folder& f) {
                            f.tensors()[kQuery] = {{1}, {1, 2}, "F64"};
                          }),
               {"model.safetensors: tensor", kQuery, "F64"});
}

TEST(ModelFolders, ExpertsMustBeThere) {
  Folder folder(golden_named("qwen3moe"));
  folder.tensors().erase("model.layers.1.mlp.experts.2.down_proj.weight");
  EXPECT_NE(folder.refusal().find("expert 2"), std::string::npos);
}

}  // namespace
}  // namespace kelda::models
