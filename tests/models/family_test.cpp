#include "models/family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "models/tiny_model.h"

namespace kelda::models {
namespace {

Metadata tiny() { return testing::tiny_metadata(*find_family("llama"), {}); }

std::string error_of(const Metadata& m, ErrorCode code) {
  try {
    read_config(m);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

template <typename T>
void set(Metadata& m, std::string_view what, T value) {
  m.set("llama." + std::string(what), MetadataValue::Variant(value));
}

TEST(Families, AreFoundByName) {
  for (const Family* f : families()) EXPECT_EQ(find_family(f->name), f);
  EXPECT_EQ(find_family("rwkv9"), nullptr);
  EXPECT_EQ(find_family(""), nullptr);
}

TEST(Families, EachDeclaresATinyInstanceThatReads) {
  for (const Family* f : families()) {
    SCOPED_TRACE(std::string(f->name));
    const ModelConfig c = read_config(testing::tiny_metadata(*f, {}));
    EXPECT_EQ(c.architecture, f->name);
    EXPECT_EQ(static_cast<int64_t>(c.windows.size()), c.n_layers);
    EXPECT_FALSE(f->summary.empty());
    TensorList list;
    f->tensors(c, list);
    EXPECT_GT(list.specs().size(), static_cast<std::size_t>(c.n_layers));
    for (const TensorSpec& s : list.specs()) {
      for (const int64_t d : s.shape) EXPECT_GT(d, 0) << s.name;
    }
  }
}

TEST(Families, EachIsEitherADecoderOrAnEncoder) {
  for (const Family* f : families()) {
    SCOPED_TRACE(std::string(f->name));
    EXPECT_NE(f->bind == nullptr, f->bind_encoder == nullptr);
    const ModelConfig c = read_config(testing::tiny_metadata(*f, {}));
    EXPECT_EQ(c.causal, f->role() == Role::kDecoder);
    EXPECT_EQ(kv_shape(c, KvType::kF32).causal, c.causal);
  }
}

TEST(ReadConfig, TakesTheNumbersOfTheFile) {
  const ModelConfig c = read_config(tiny());
  EXPECT_EQ(c.n_layers, 2);
  EXPECT_EQ(c.hidden_size, 96);
  EXPECT_EQ(c.intermediate_size, 160);
  EXPECT_EQ(c.n_heads, 4);
  EXPECT_EQ(c.n_kv_heads, 2);
  EXPECT_EQ(c.head_dim, 32);
  EXPECT_EQ(c.n_ctx_train, 2048);
  EXPECT_EQ(c.vocab_size, 261);
  EXPECT_FLOAT_EQ(c.norm_eps, 1e-5f);
  EXPECT_EQ(c.rope.n_rot, 32);
  EXPECT_TRUE(c.rope.interleaved);
  EXPECT_EQ(kv_shape(c, KvType::kF16).bytes_per_token(), 2 * 2 * 32 * 2 * 2);
}

TEST(ReadConfig, AWindowThatIsNeverLeftIsNoneUnlessItTellsLayersApart) {
  const auto wide = [](std::string_view family) {
    const std::string key = std::string(family) + ".attention.sliding_window";
    Metadata m = testing::tiny_metadata(*find_family(family), {.n_ctx = 512});
    m.set(key, MetadataValue::Variant(uint32_t{512}));
    return read_config(m);
  };
  for (const char* family : {"llama", "phi3", "gemma2"})
    EXPECT_EQ(wide(family).windows, std::vector<int64_t>({0, 0})) << family;
  const ModelConfig gemma3 = wide("gemma3");
  EXPECT_TRUE(gemma3.local_rope);
  EXPECT_EQ(gemma3.windows, std::vector<int64_t>({512, 0}));
}

TEST(ReadConfig, AnUnknownArchitectureNamesTheKnownOnes) {
  Metadata m = tiny();
  m.set("general.architecture", MetadataValue::Variant(std::string("rwkv9")));
  const std::string message = error_of(m, ErrorCode::kUnsupported);
  EXPECT_NE(message.find("rwkv9"), std::string::npos);
  EXPECT_NE(message.find("llama"), std::string::npos);
}

TEST(ReadConfig, ImpossibleNumbersNameTheirKey) {
  const auto expect = [](std::string_view key, auto value, ErrorCode code = ErrorCode::kBadInput) {
    Metadata m = tiny();
    set(m, key, value);
    const std::string message = error_of(m, code);
    EXPECT_NE(message.find(key), std::string::npos) << message;
  };
  expect("block_count", uint32_t{0});
  expect("block_count", uint32_t{1'000'000'000});
  expect("embedding_length", uint32_t{0});
  expect("feed_forward_length", int32_t{-1});
  expect("context_length", uint32_t{0});
  expect("context_length", std::string("long"));
  expect("attention.head_count", uint32_t{0});
  expect("attention.head_count_kv", uint32_t{0});
  expect("attention.head_count_kv", uint32_t{3});
  expect("attention.layer_norm_rms_epsilon", std::numeric_limits<float>::quiet_NaN());
  expect("attention.layer_norm_rms_epsilon", -1.0f);
  expect("attention.value_length", uint32_t{16});
  expect("rope.dimension_count", uint32_t{31});
  expect("rope.dimension_count", uint32_t{64});
  expect("rope.freq_base", std::numeric_limits<float>::infinity());
  expect("expert_count", uint32_t{8}, ErrorCode::kUnsupported);
  expect("rope.scaling.type", std::string("dynamic"), ErrorCode::kUnsupported);
  expect("attention.sliding_window", int32_t{-1});
}

TEST(ReadConfig, AKeyThatAsksForOtherArithmeticIsRefusedByItsName) {
  const auto refused = [](std::string_view key, auto value) {
    Metadata m = tiny();
    set(m, key, value);
    const std::string message = error_of(m, ErrorCode::kUnsupported);
    EXPECT_NE(message.find("llama." + std::string(key)), std::string::npos) << message;
  };
  refused("rope.scaling.type", std::string("dynamic"));
  refused("rope.scaling.yarn_beta_fast", 32.0f);  // without yarn it says nothing that is known
  refused("attention.scale", 0.5f);
  refused("attention.causal", false);
  refused("attention.max_alibi_bias", 8.0f);
  refused("expert_count", uint32_t{8});
  refused("expert_used_count", uint32_t{2});
  refused("expert_feed_forward_length", uint32_t{64});
  refused("logit_scale", 8.0f);
  refused("embedding_scale", 12.0f);
  refused("residual_scale", 0.22f);
  refused("tensor_data_layout", std::string("transposed"));
  refused("something_new", uint32_t{0});
}

TEST(ReadConfig, AKeyThatChangesNothingIsAccepted) {
  Metadata m = tiny();
  set(m, "vocab_size", uint32_t{261});
  set(m, "rope.scaling.type", std::string("none"));
  set(m, "rope.scaling.factor", 1.0f);
  set(m, "rope.scaling.attn_factor", 1.0f);
  set(m, "rope.scaling.original_context_length", uint32_t{512});
  set(m, "rope.scaling.finetuned", true);
  set(m, "rope.scale_linear", 1.0f);
  set(m, "attention.layer_norm_epsilon", 1e-6f);
  set(m, "attention.sliding_window", uint32_t{0});
  set(m, "attention.scale", 0.17677669f);  // 1 / √32
  set(m, "attention.causal", true);
  set(m, "expert_count", uint32_t{0});
  set(m, "expert_used_count", uint32_t{0});
  set(m, "logit_scale", 1.0f);
  set(m, "embedding_scale", 1.0f);
  set(m, "residual_scale", 1.0f);
  set(m, "tensor_data_layout", std::string("Meta AI original pth"));
  m.set("qwen2.rope.freq_base", MetadataValue(5.0f));  // of another architecture
  const ModelConfig c = read_config(m);
  EXPECT_EQ(c.vocab_size, 261);
  EXPECT_EQ(c.rope.theta, 10000.0);
}

// Keys that ask for what only other families compute.
TEST(ReadConfig, EachFamilyRefusesWhatItDoesNotDo) {
  for (const Family* f : families()) {
    SCOPED_TRACE(std::string(f->name));
    for (const char* key :
         {"logit_scale", "attention.max_alibi_bias", "attention.kv_lora_rank", "ssm.state_size"}) {
      Metadata m = testing::tiny_metadata(*f, {});
      m.set(std::string(f->name) + "." + key, MetadataValue(8.0f));
      EXPECT_NE(error_of(m, ErrorCode::kUnsupported).find(key), std::string::npos);
    }
    for (const auto& [key, value] : std::vector<std::pair<std::string, MetadataValue>>{
             {"attention.head_count", MetadataValue(uint32_t{0})},
             {"attention.head_count", MetadataValue(uint32_t{3})},  // of 2 KV heads
             {"block_count", MetadataValue(uint32_t{0})},
             {"embedding_length", MetadataValue(uint32_t{4'000'000'000})}}) {
      Metadata m = testing::tiny_metadata(*f, {});
      m.set(std::string(f->name) + "." + key, value);
      EXPECT_NE(error_of(m, ErrorCode::kBadInput).find(key), std::string::npos);
    }
  }
}

TEST(ReadConfig, ArchitecturesThatAreNotBuiltAreRefusedByName) {
  for (const char* name : {"deepseek2", "mamba", "t5"}) {
    Metadata m = tiny();
    m.set("general.architecture", MetadataValue(std::string(name)));
    EXPECT_NE(error_of(m, ErrorCode::kUnsupported).find(name), std::string::npos);
  }
}

// Scores, caps, windows and bases of Gemma, which the other families do not have.
TEST(ReadConfig, GemmaHasTwoRotaryBasesAndAScaleOfItsEmbedding) {
  Metadata m = testing::tiny_metadata(*find_family("gemma3"), {.n_layers = 12});
  m.set("gemma3.attention.sliding_window_pattern", MetadataValue(uint32_t{6}));
  m.set("gemma3.rope.scaling.type", MetadataValue(std::string("linear")));
  m.set("gemma3.rope.scaling.factor", MetadataValue(8.0f));
  const ModelConfig c = read_config(m);
  EXPECT_EQ(c.windows, (std::vector<int64_t>{70, 70, 70, 70, 70, 0, 70, 70, 70, 70, 70, 0}));
  EXPECT_TRUE(c.local_rope);
  EXPECT_EQ(c.rope.theta, 1e6);
  EXPECT_EQ(c.rope.factor, 8.0);
  EXPECT_EQ(c.rope_windowed.theta, 10000.0);
  EXPECT_EQ(c.rope_windowed.scaling, RopeScaling::kNone);
  EXPECT_EQ(c.embedding_scale, std::sqrt(96.0f));
  EXPECT_EQ(c.attention_scale, 1 / std::sqrt(32.0f));
  const ModelConfig large = read_config(testing::tiny_metadata(*find_family("gemma3"), {.n_layers = 62}));
  EXPECT_EQ(large.attention_scale, 1 / std::sqrt(24.0f));  // 96 / 4 heads, as the 27B model does
}

TEST(ReadConfig, BertReadsWholeTextsAndSaysHowToPool) {
  const Family& bert = *find_family("bert");
  const ModelConfig c = read_config(testing::tiny_metadata(bert, {}));
  EXPECT_EQ(c.norm, NormKind::kLayer);
  EXPECT_EQ(c.n_token_types, 2);
  EXPECT_EQ(c.pooling, Pooling::kMean);
  EXPECT_EQ(kv_shape(c, KvType::kF32).windows, (std::vector<int64_t>{0})) << "one layer's room serves all";
  const auto with = [&](const char* key, MetadataValue value) {
    Metadata m = testing::tiny_metadata(bert, {});
    m.set(key, std::move(value));
    return m;
  };
  EXPECT_EQ(read_config(with("bert.pooling_type", MetadataValue(uint32_t{0}))).pooling, Pooling::kNone);
  EXPECT_EQ(read_config(with("bert.pooling_type", MetadataValue(uint32_t{2}))).pooling, Pooling::kCls);
  EXPECT_TRUE(c.unit_length);
  EXPECT_FALSE(read_config(with("bert.normalize_embeddings", MetadataValue(false))).unit_length);
  const auto refused = [&](const char* key, MetadataValue value, ErrorCode code) {
    EXPECT_NE(error_of(with(key, std::move(value)), code).find(key), std::string::npos) << key;
  };
  refused("bert.pooling_type", MetadataValue(uint32_t{3}), ErrorCode::kUnsupported);
  refused("bert.pooling_type", MetadataValue(int32_t{-1}), ErrorCode::kBadInput);
  refused("bert.attention.causal", MetadataValue(true), ErrorCode::kUnsupported);
  refused("bert.rope.freq_base", MetadataValue(10000.0f), ErrorCode::kUnsupported);
  refused("tokenizer.ggml.token_type_count", MetadataValue(uint32_t{0}), ErrorCode::kBadInput);
}

TEST(ReadConfig, AKnownKeyOfAnotherTypeIsBadInput) {
  Metadata m = tiny();
  set(m, "attention.causal", uint32_t{1});
  EXPECT_NE(error_of(m, ErrorCode::kBadInput).find("llama.attention.causal"), std::string::npos);
}

TEST(ReadConfig, AVocabularySizeThatContradictsTheTokensNamesBoth) {
  Metadata m = tiny();
  set(m, "vocab_size", uint32_t{262});
  const std::string message = error_of(m, ErrorCode::kBadInput);
  for (const char* part : {"llama.vocab_size", "262", "tokenizer.ggml.tokens", "261"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(ReadConfig, TextOfTheFileCannotSteerATerminal) {
  Metadata m = tiny();
  m.set("general.architecture", MetadataValue(std::string("\x1B[2J\xC2\x9Bm")));
  const std::string message = error_of(m, ErrorCode::kUnsupported);
  EXPECT_NE(message.find("\"\\x1B[2J\\xC2\\x9Bm\""), std::string::npos) << message;
  Metadata scaled = tiny();
  set(scaled, "rope.scaling.type", std::string("\x1B[2J"));
  EXPECT_EQ(error_of(scaled, ErrorCode::kUnsupported).find('\x1B'), std::string::npos);
}

TEST(ReadConfig, HeadsThatDoNotDivideTheWidthAreRefused) {
  Metadata m;
  const Metadata whole = tiny();
  for (const auto& [key, value] : whole.items()) {
    if (key.find("_length") == std::string::npos || key.find("attention") == std::string::npos)
      m.add(key, value);
  }
  set(m, "attention.head_count", uint32_t{5});
  set(m, "attention.head_count_kv", uint32_t{5});
  EXPECT_NE(error_of(m, ErrorCode::kBadInput).find("attention.head_count"), std::string::npos);
}

TEST(ReadConfig, MissingKeysAreNamed) {
  for (const char* key :
       {"llama.block_count", "llama.embedding_length", "llama.feed_forward_length", "llama.context_length",
        "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    Metadata m;
    const Metadata whole = tiny();
    for (const auto& [k, value] : whole.items()) {
      if (k != key) m.add(k, value);
    }
    EXPECT_NE(error_of(m, ErrorCode::kBadInput).find(key), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace kelda::models
