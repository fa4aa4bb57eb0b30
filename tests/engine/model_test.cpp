#include "engine/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>

#include "base/cpu.h"
#include "base/error.h"
#include "engine/runner.h"
#include "models/tiny_model.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kelda {
namespace {

const models::Family& llama() { return *models::find_family("llama"); }

struct TinyFile {
  std::filesystem::path path = testing::write_tiny_model(llama(), {.format = "q4_0"});
  ~TinyFile() { std::filesystem::remove(path); }
};

// Rewrites the tiny file with other tensors: `edit` changes the table and the data.
template <typename Edit>
std::string error_after(Edit edit) {
  const TinyFile tiny;
  const auto file = open_gguf(tiny.path);
  std::vector<TensorInfo> tensors = file->tensors();
  std::vector<std::vector<std::byte>> data;
  for (const TensorInfo& t : tensors) {
    data.emplace_back(t.bytes);
    file->read(t, 0, data.back());
  }
  edit(tensors, data);
  const auto path = tiny.path.string() + ".edited";
  {
    GgufWriter writer(path, file->metadata(), tensors);
    for (const auto& d : data) writer.append(d);
    writer.commit();
  }
  ThreadPool pool(2);
  std::string message = "no error";
  try {
    Model::load(path, {}, pool);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    message = e.what();
  }
  std::filesystem::remove(path);
  return message;
}

using Tensors = std::vector<TensorInfo>;
using Data = std::vector<std::vector<std::byte>>;

TEST(Model, AWindowWithinTheOriginalContextTakesLongRopesShortFactors) {
  const auto path = testing::write_tiny_model(
      *models::find_family("phi3"),
      {.n_ctx = 512, .more = {{"phi3.rope.scaling.original_context_length", uint32_t{128}}}});
  ThreadPool pool(2);
  const auto loaded = [&](int64_t window) {
    Model::Options options;
    options.window = window;
    return Model::load(path, options, pool);
  };
  EXPECT_TRUE(loaded(0)->config().rope.long_factors);
  EXPECT_TRUE(loaded(129)->config().rope.long_factors);
  const auto within = loaded(128);
  EXPECT_FALSE(within->config().rope.long_factors);
  Runner::Options options;
  options.window = 128;
  EXPECT_NO_THROW(Runner(within, options, pool));
  options.window = 129;
  EXPECT_THROW(Runner(within, options, pool), Error);
  std::filesystem::remove(path);
}

TEST(Model, LoadsATinyFile) {
  const TinyFile tiny;
  ThreadPool pool(2);
  uint64_t last = 0, total = 0;
  Model::Options options;
  options.progress = [&](uint64_t done, uint64_t all) {
    EXPECT_GE(done, last);
    last = done;
    total = all;
  };
  const auto model = Model::load(tiny.path, options, pool);
  EXPECT_EQ(last, total);
  EXPECT_GT(total, 0u);
  EXPECT_EQ(model->config().n_layers, 2);
  EXPECT_EQ(model->weights().formats(), (std::vector<std::string_view>{"q4_0"}));
  EXPECT_EQ(&model->weights().matrix("output.weight"), &model->weights().matrix("token_embd.weight"))
      << "tied, kept once";
  EXPECT_EQ(
      model->tokenizer().decode(model->tokenizer().encode_prompt("the cat", text::Special::kText).ids, false),
      "the cat");
}

TEST(Model, PackedBytesAreKnownBeforeLoading) {
  const TinyFile tiny;
  ThreadPool pool(1);
  const auto file = open_gguf(tiny.path);
  TensorList list;
  llama().tensors(models::read_config(file->metadata()), list);
  for (const Compute compute : {Compute::kAuto, Compute::kReference}) {
    const auto model = Model::load(tiny.path, {compute, {}}, pool);
    EXPECT_EQ(packed_bytes(*file, list, compute), model->weights().bytes());
  }
}

TEST(Model, EveryRefusalBeginsWithThePathOnce) {
  const TinyFile tiny;
  const auto file = open_gguf(tiny.path);
  const auto path = tiny.path.string() + ".refused";
  const auto refusal = [&](std::string_view key, MetadataValue value) {
    Metadata m = file->metadata();
    m.set(key, std::move(value));
    {
      GgufWriter writer(path, m, file->tensors());
      for (const TensorInfo& t : file->tensors()) writer.append(std::vector<std::byte>(t.bytes));
      writer.commit();
    }
    ThreadPool pool(1);
    try {
      Model::load(path, {}, pool);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::vector<std::pair<std::string_view, MetadataValue>> faults = {
      {"general.architecture", MetadataValue(std::string("rwkv9"))},
      {"llama.context_length", MetadataValue(uint32_t{0})},
      {"llama.logit_scale", MetadataValue(2.0f)},
      {"tokenizer.ggml.model", MetadataValue(std::string("abacus"))},
      {"tokenizer.ggml.token_type", MetadataValue(std::vector<int32_t>{1})},
      {"llama.block_count", MetadataValue(uint32_t{3})},  // tensors are missing
  };
  for (const auto& [key, value] : faults) {
    const std::string message = refusal(key, value);
    EXPECT_EQ(message.find(path + ": "), 0u) << message;
    EXPECT_EQ(message.find(path, 1), std::string::npos) << message;
  }
  std::filesystem::remove(path);
}

TEST(Model, AModelOfAnotherRoleIsRefusedAndToldWhatRunsIt) {
  const auto refusal = [](const char* family, models::Role role) {
    const auto path = testing::write_tiny_model(*models::find_family(family), {});
    ThreadPool pool(1);
    std::string message = "no error";
    try {
      Model::load(
          path, {.progress = [](uint64_t, uint64_t) { ADD_FAILURE() << "weights were read"; }, .role = role},
          pool);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
      message = e.what();
      EXPECT_EQ(message.find(path.string() + ": "), 0u) << message;
    }
    std::filesystem::remove(path);
    return message;
  };
  const std::string encoder = refusal("bert", models::Role::kDecoder);
  EXPECT_NE(encoder.find("bert"), std::string::npos) << encoder;
  EXPECT_NE(encoder.find("kelda embed"), std::string::npos) << encoder;
  const std::string decoder = refusal("llama", models::Role::kEncoder);
  EXPECT_NE(decoder.find("kelda run"), std::string::npos) << decoder;
  EXPECT_NE(decoder.find("bert"), std::string::npos) << decoder;
}

TEST(Model, AMissingTensorIsNamed) {
  const std::string message = error_after([](Tensors& t, Data& d) {
    t.erase(t.begin() + 3);
    d.erase(d.begin() + 3);
  });
  EXPECT_NE(message.find("is missing"), std::string::npos) << message;
}

TEST(Model, AnUnknownTensorIsNamed) {
  const std::string message = error_after([](Tensors& t, Data& d) {
    t.push_back(t[1]);
    t.back().name = "blk.0.attn_mystery.weight";
    d.push_back(d[1]);
  });
  EXPECT_NE(message.find("blk.0.attn_mystery.weight"), std::string::npos) << message;
}

TEST(Model, AWrongShapeIsNamedWithBothShapes) {
  const std::string message = error_after([](Tensors& t, Data& d) {
    t[0].shape = {t[0].shape[0] - 1, t[0].shape[1]};
    d[0].resize(d[0].size() / static_cast<std::size_t>(t[0].shape[0] + 1) *
                static_cast<std::size_t>(t[0].shape[0]));
  });
  EXPECT_NE(message.find("token_embd.weight"), std::string::npos) << message;
  EXPECT_NE(message.find("[260, 96]"), std::string::npos) << message;
  EXPECT_NE(message.find("[261, 96]"), std::string::npos) << message;
}

TEST(Model, ARotaryFactorOutOfRangeIsNamed) {
  for (const float factor : {0.0f, 1e-30f, -8.0f, std::numeric_limits<float>::quiet_NaN()}) {
    const std::string message = error_after([&](Tensors& t, Data& d) {
      TensorInfo factors = *std::find_if(
          t.begin(), t.end(), [](const TensorInfo& each) { return each.name == "output_norm.weight"; });
      factors.name = "rope_freqs.weight";
      factors.shape = {16};
      factors.bytes = 16 * sizeof factor;
      t.push_back(factors);
      const std::vector<float> values(16, factor);
      const auto bytes = std::as_bytes(std::span(values));
      d.emplace_back(bytes.begin(), bytes.end());
    });
    EXPECT_NE(message.find("rope_freqs.weight"), std::string::npos) << message;
    EXPECT_NE(message.find(".edited: "), std::string::npos) << message;
  }
}

TEST(Model, AnUntiedOutputIsUsed) {
  const TinyFile tiny;
  const auto file = open_gguf(tiny.path);
  std::vector<TensorInfo> tensors = file->tensors();
  Data data;
  for (const TensorInfo& t : tensors) {
    data.emplace_back(t.bytes);
    file->read(t, 0, data.back());
  }
  tensors.push_back(tensors[0]);
  tensors.back().name = "output.weight";
  data.push_back(data[0]);
  const auto path = tiny.path.string() + ".untied";
  GgufWriter writer(path, file->metadata(), tensors);
  for (const auto& d : data) writer.append(d);
  writer.commit();
  ThreadPool pool(1);
  const auto model = Model::load(path, {}, pool);
  std::filesystem::remove(path);
  EXPECT_NE(&model->weights().matrix("output.weight"), &model->weights().matrix("token_embd.weight"));
}

#if defined(__x86_64__)
// Rotary tables, scales and norms are computed while a model is loaded, on the caller's thread.
TEST(Model, LoadedByAHostThatRoundsAnotherWayHasTheSameBits) {
  for (const models::Family* family : models::families()) {
    if (family->role() != models::Role::kDecoder) continue;
    SCOPED_TRACE(family->name);
    const auto path = testing::write_tiny_model(*family, {.format = "q8_0"});
    ThreadPool pool(1);
    const auto logits_of = [&](unsigned rounding) {
      const unsigned saved = _mm_getcsr();
      _mm_setcsr(0x1F80u | rounding);
      const auto model = Model::load(path, {}, pool);
      _mm_setcsr(saved);
      Runner runner(model, {KvType::kF32, 0, 64}, pool);
      const std::vector<TokenId> ids = {3, 14, 15, 92, 65, 35, 89, 79, 32, 38};
      std::vector<float> all;
      runner.all_logits(ids, 64, [&](int64_t, std::span<const float> row) {
        all.insert(all.end(), row.begin(), row.end());
      });
      return all;
    };
    const std::vector<float> nearest = logits_of(0);
    for (const unsigned rounding : {0x2000u, 0x4000u, 0x6000u}) {
      const std::vector<float> other = logits_of(rounding);
      ASSERT_EQ(nearest.size(), other.size());
      EXPECT_EQ(std::memcmp(nearest.data(), other.data(), nearest.size() * sizeof(float)), 0) << rounding;
    }
    std::filesystem::remove(path);
  }
}
#endif

}  // namespace
}  // namespace kelda
