#include "engine/embedder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error_of.h"
#include "base/file.h"
#include "engine/model_text.h"
#include "models/tiny_model.h"

namespace kelda {
namespace {

using Texts = std::vector<std::vector<TokenId>>;
using Vectors = std::vector<std::vector<float>>;

const models::Family& bert() { return *models::find_family("bert"); }

std::shared_ptr<const Model> load_tiny(const testing::TinyOptions& options, ThreadPool& pool,
                                       Compute compute = Compute::kAuto) {
  const auto path = testing::write_tiny_model(bert(), options);
  const auto model = Model::load(path, {.compute = compute, .role = models::Role::kEncoder}, pool);
  std::filesystem::remove(path);
  return model;
}

std::vector<TokenId> random_tokens(int64_t n, uint32_t stream) {
  std::vector<TokenId> ids(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<TokenId>(uniform({3, stream, static_cast<uint32_t>(i)}, 0) * 261);
  return ids;
}

Vectors embed(Embedder& embedder, const Texts& texts) {
  Vectors all;
  embedder.embed(texts, [&](std::size_t i, std::span<const float> v) {
    EXPECT_EQ(i, all.size());
    all.emplace_back(v.begin(), v.end());
  });
  return all;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Lengths around a block of the cache, past the 512-key split, and enough short ones to fill several batches.
Texts awkward_texts() {
  Texts texts;
  uint32_t stream = 0;
  for (const int64_t n : {1, 2, 63, 64, 65, 513, 1100}) texts.push_back(random_tokens(n, stream++));
  for (int64_t n = 0; n < 90; ++n) texts.push_back(random_tokens(1 + n % 23, stream++));
  return texts;
}

class EmbedderEqualBits : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Formats, EmbedderEqualBits, ::testing::Values("f32", "f16", "q8_0", "q4_0", "q6_k"),
                         [](const auto& each) { return std::string(each.param); });

void check_equal_bits(const std::shared_ptr<const Model>& model) {
  const Texts texts = awkward_texts();
  ThreadPool one(1);
  Embedder alone(model, {}, one);
  Vectors expected;
  for (const auto& text : texts) expected.push_back(embed(alone, {text})[0]);
  const auto check = [&](const Vectors& got, const std::string& what) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(same(expected[i], got[i])) << what << ", text " << i;
  };
  for (const int threads : {1, 2, 3, 4}) {
    ThreadPool pool(threads);
    Embedder together(model, {}, pool);
    check(embed(together, texts), fmt::format("together, {} threads", threads));
    check(embed(together, texts), "the same embedder again");
  }
  ThreadPool two(2);
  Embedder scalar(model, {}, two, kernels::scalar_table());
  check(embed(scalar, texts), "scalar kernels");
  Embedder reversed(model, {}, two);
  Vectors backwards = embed(reversed, {texts.rbegin(), texts.rend()});
  std::reverse(backwards.begin(), backwards.end());
  check(backwards, "in the other order");
}

TEST_P(EmbedderEqualBits, HoldInAnyCompanyOnAnyThreadsAndInstructionSet) {
  ThreadPool pool(2);
  check_equal_bits(load_tiny({.format = GetParam()}, pool));
}

TEST_P(EmbedderEqualBits, HoldOnTheReferencePath) {
  ThreadPool pool(2);
  check_equal_bits(
      load_tiny({.format = GetParam(), .n_heads = 3, .n_kv_heads = 3}, pool, Compute::kReference));
}

TEST(Embedder, VectorsHaveLengthOneUnlessTheirOwnIsWanted) {
  ThreadPool pool(2);
  const auto model = load_tiny({}, pool);
  const Texts texts = {random_tokens(5, 1), random_tokens(40, 2)};
  Embedder unit(model, {}, pool), raw(model, {.normalize = false}, pool);
  const Vectors a = embed(unit, texts), b = embed(raw, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double length = 0, raw_length = 0;
    for (std::size_t d = 0; d < a[i].size(); ++d) {
      length += double{a[i][d]} * double{a[i][d]};
      raw_length += double{b[i][d]} * double{b[i][d]};
    }
    EXPECT_NEAR(length, 1, 1e-6);
    EXPECT_GT(std::abs(raw_length - 1), 0.1);
    for (std::size_t d = 0; d < a[i].size(); ++d)
      EXPECT_NEAR(a[i][d] * std::sqrt(raw_length), b[i][d], 1e-5 * std::sqrt(raw_length));
  }
}

TEST(Embedder, LengthIsTheFilesUnlessChosen) {
  ThreadPool pool(1);
  const auto plain = load_tiny({}, pool);
  const auto own = load_tiny({.more = {{"bert.normalize_embeddings", false}}}, pool);
  EXPECT_TRUE(Embedder(plain, {}, pool).normalizes());
  EXPECT_FALSE(Embedder(plain, {.normalize = false}, pool).normalizes());
  EXPECT_FALSE(Embedder(own, {}, pool).normalizes());
  EXPECT_TRUE(Embedder(own, {.normalize = true}, pool).normalizes());
}

TEST(Embedder, PoolingIsTheFilesUnlessChosen) {
  ThreadPool pool(1);
  const auto model = load_tiny({}, pool);
  const Texts texts = {random_tokens(9, 1)};
  Embedder as_file(model, {}, pool), mean(model, {.pooling = Pooling::kMean}, pool),
      cls(model, {.pooling = Pooling::kCls}, pool);
  EXPECT_EQ(as_file.pooling(), Pooling::kMean);
  EXPECT_EQ(embed(as_file, texts), embed(mean, texts));
  EXPECT_NE(embed(cls, texts), embed(mean, texts));
  const auto silent = load_tiny({.more = {{"bert.pooling_type", uint32_t{0}}}}, pool);
  const std::string message = error_of(ErrorCode::kUsage, [&] { Embedder(silent, {}, pool); });
  EXPECT_NE(message.find("--pooling"), std::string::npos) << message;
  EXPECT_EQ(Embedder(silent, {.pooling = Pooling::kCls}, pool).pooling(), Pooling::kCls);
}

TEST(Embedder, TheOrderOfTokensAndWhatComesLaterCount) {
  ThreadPool pool(1);
  Embedder cls(load_tiny({}, pool), {.pooling = Pooling::kCls}, pool);
  const Vectors v = embed(cls, {{5, 6, 7}, {5, 7, 6}, {5, 6, 8}});
  EXPECT_NE(v[0], v[1]);
  EXPECT_NE(v[0], v[2]) << "the first token sees the last";
}

TEST(Embedder, TextsBeyondTheWindowAreRefusedBeforeAnyIsRun) {
  ThreadPool pool(1);
  Embedder embedder(load_tiny({.n_ctx = 100}, pool), {}, pool);
  EXPECT_EQ(embedder.window(), 100);
  EXPECT_EQ(embed(embedder, {random_tokens(100, 1)}).size(), 1u);
  const auto run = [&](const Texts& texts) {
    embedder.embed(texts, [](std::size_t, std::span<const float>) { ADD_FAILURE() << "ran"; });
  };
  const std::string message = error_of(ErrorCode::kContextLength, [&] {
    run({random_tokens(3, 1), random_tokens(101, 2)});
  });
  for (const char* part : {"text 2", "101", "100"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(error_of(ErrorCode::kBadInput,
                     [&] {
                       run({random_tokens(3, 1), {}});
                     })
                .find("text 2"),
            std::string::npos);
  EXPECT_TRUE(embed(embedder, {}).empty());
}

TEST(Embedder, AWindowMayBeSmallerThanTheTrainedOneAndNeverLarger) {
  ThreadPool pool(1);
  const auto model = load_tiny({.n_ctx = 100}, pool);
  Embedder small(model, {.window = 10}, pool);
  error_of(ErrorCode::kContextLength, [&] { embed(small, {random_tokens(11, 1)}); });
  const std::string message = error_of(ErrorCode::kUsage, [&] { Embedder(model, {.window = 101}, pool); });
  EXPECT_NE(message.find("100"), std::string::npos) << message;
}

TEST(Embedder, TruncationKeepsTheTokenThatEndsEveryText) {
  ThreadPool pool(1);
  std::vector<TokenId> ids = {5, 6, 7, 8, 9, 2}, open = {5, 6, 7, 8, 9, 3}, fits = {5, 6, 7, 2};
  Embedder framed(load_tiny({.more = {{"tokenizer.ggml.add_eos_token", true}}}, pool), {.window = 4}, pool);
  framed.truncate(ids);
  framed.truncate(open);
  framed.truncate(fits);
  EXPECT_EQ(ids, (std::vector<TokenId>{5, 6, 7, 2}));
  EXPECT_EQ(open, (std::vector<TokenId>{5, 6, 7, 8}));
  EXPECT_EQ(fits, (std::vector<TokenId>{5, 6, 7, 2}));
  ids = {5, 6, 7, 8, 9, 2};
  Embedder plain(load_tiny({}, pool), {.window = 4}, pool);
  plain.truncate(ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{5, 6, 7, 8})) << "the file asks for no token at the end";
}

// The bound of a file's own vectors: rounding over six layers, and of six decimals in the file.
//   KELDA_SHARED: a folder with reference/minilm.a.json, whose vectors transformers gave for float32 weights.
//   KELDA_TEST_ENCODER: the same model, as GGUF in any format or as a folder.
TEST(EmbedderOfARealModel, AgreesWithTheReferenceValues) {
  const char* shared = std::getenv("KELDA_SHARED");
  const char* model_path = std::getenv("KELDA_TEST_ENCODER");
  if (shared == nullptr || model_path == nullptr)
    GTEST_SKIP() << "KELDA_SHARED or KELDA_TEST_ENCODER is not set";
  const auto golden =
      nlohmann::json::parse(read_text(std::string(shared) + "/reference/minilm.a.json", 1 << 20));
  ThreadPool pool(2);
  for (const Compute compute : {Compute::kAuto, Compute::kReference}) {
    const auto model = Model::load(model_path, {.compute = compute, .role = models::Role::kEncoder}, pool);
    const auto tensors = open_model(model_path)->tensors();
    const bool exact =
        std::all_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.format->name == "f32"; });
    Embedder embedder(model, {.window = golden["max_length"]}, pool);
    Texts texts;
    for (const auto& row : golden["rows"]) {
      texts.push_back(
          model->tokenizer().encode_prompt(row["text"].get<std::string>(), text::Special::kText).ids);
      embedder.truncate(texts.back());
      EXPECT_EQ(texts.back(), row["ids"].get<std::vector<TokenId>>()) << row["text"];
    }
    double worst = 0, least_cosine = 1;
    embedder.embed(texts, [&](std::size_t i, std::span<const float> v) {
      const auto expected = golden["rows"][i]["embedding"].get<std::vector<double>>();
      ASSERT_EQ(expected.size(), v.size());
      double dot = 0, aa = 0, bb = 0;
      for (std::size_t d = 0; d < v.size(); ++d) {
        worst = std::max(worst, std::abs(expected[d] - v[d]));
        dot += expected[d] * v[d];
        aa += expected[d] * expected[d];
        bb += double{v[d]} * double{v[d]};
      }
      least_cosine = std::min(least_cosine, dot / std::sqrt(aa * bb));
    });
    std::printf("%s, %s: largest difference %.2e, least cosine %.7f\n", model_path,
                compute == Compute::kAuto ? "auto" : "reference", worst, least_cosine);
    EXPECT_GT(least_cosine, 0.99);
    if (exact) {
      EXPECT_LT(worst, 2e-6);
    }
  }
}

}  // namespace
}  // namespace kelda
