// One model file and one text give the same logits, bit for bit, however they are computed:
// docs/adr/0009-equal-bits.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/cpu.h"
#include "engine/runner.h"
#include "models/tiny_model.h"
#include "test_model.h"

namespace kelda {
namespace {

using Logits = std::vector<float>;  // [n_tokens, vocab_size]

std::vector<TokenId> random_tokens(int64_t n, int64_t vocab_size, uint64_t seed) {
  std::vector<TokenId> ids(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<TokenId>(uniform({seed, 7, static_cast<uint32_t>(i)}, 0) *
                                  static_cast<double>(vocab_size));
  }
  return ids;
}

struct Way {
  std::string name;
  int n_threads = 1;
  const kernels::KernelTable* kernels = nullptr;
  int64_t chunk = 1 << 20;
};

Logits run_alone(const std::shared_ptr<const Model>& model, const std::vector<TokenId>& ids, const Way& way,
                 KvType kv) {
  ThreadPool pool(way.n_threads);
  Runner runner(model, {kv, 0, static_cast<int64_t>(ids.size())}, pool, *way.kernels);
  Logits all;
  runner.all_logits(ids, way.chunk, [&](int64_t, std::span<const float> row) {
    all.insert(all.end(), row.begin(), row.end());
  });
  return all;
}

// The sequence joins strangers that are at other places of theirs, in other slots at every step.
Logits run_in_company(const std::shared_ptr<const Model>& model, const std::vector<TokenId>& ids,
                      const Way& way, KvType kv) {
  ThreadPool pool(way.n_threads);
  Runner runner(model, {kv, 0, 4096}, pool, *way.kernels);
  const auto strangers = random_tokens(600, model->config().vocab_size, 99);
  const std::span<const TokenId> others(strangers);
  Sequence mine(runner.cache()), long_one(runner.cache()), short_one(runner.cache());
  Batch batch;
  batch.add(long_one, others.first(200), Batch::Logits::kNone);
  runner.forward(batch);
  long_one.advance(200);
  Logits all;
  const auto vocab = static_cast<std::size_t>(model->config().vocab_size);
  for (std::size_t at = 0, step = 0; at < ids.size(); ++step) {
    const std::size_t n =
        std::min(step % 3 == 0 ? std::size_t{1} : way.n_threads * std::size_t{5}, ids.size() - at);
    batch.clear();
    const bool first = step % 2 == 0;
    if (!first) batch.add(long_one, others.subspan(200 + step % 100, 1 + step % 4), Batch::Logits::kLast);
    batch.add(mine, std::span(ids).subspan(at, n), Batch::Logits::kAll);
    if (first) batch.add(short_one, others.subspan(step % 300, 2), Batch::Logits::kAll);
    const Matrix<const float> logits = runner.forward(batch);
    const auto offset = static_cast<int64_t>(first ? 0 : 1);
    for (std::size_t i = 0; i < n; ++i) {
      const float* row = logits.row(offset + static_cast<int64_t>(i));
      all.insert(all.end(), row, row + vocab);
    }
    mine.advance(static_cast<int64_t>(n));
    if (!first) long_one.advance(static_cast<int64_t>(1 + step % 4));
    if (first) short_one.advance(2);
    at += n;
  }
  return all;
}

// Half the text in one sequence, forked; the copy goes on while the original takes another turn.
Logits run_forked(const std::shared_ptr<const Model>& model, const std::vector<TokenId>& ids, const Way& way,
                  KvType kv) {
  ThreadPool pool(way.n_threads);
  Runner runner(model, {kv, 0, 4096}, pool, *way.kernels);
  const std::size_t half = ids.size() / 2;
  Sequence original(runner.cache());
  Logits all;
  const auto feed = [&](Sequence& s, std::span<const TokenId> part, bool keep) {
    Batch batch;
    batch.add(s, part, Batch::Logits::kAll);
    const Matrix<const float> logits = runner.forward(batch);
    s.advance(static_cast<int64_t>(part.size()));
    if (keep) all.insert(all.end(), logits.data, logits.data + logits.rows * logits.cols);
  };
  feed(original, std::span(ids).first(half), true);
  Sequence copy = original.fork();
  feed(original, random_tokens(70, model->config().vocab_size, 5), false);
  feed(copy, std::span(ids).subspan(half), true);
  return all;
}

void expect_same(const Logits& expected, const Logits& got, const std::string& what, std::size_t vocab) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  if (std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)) == 0) return;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(float)) != 0) {
      FAIL() << what << ": position " << i / vocab << " token " << i % vocab << ": " << expected[i] << " and "
             << got[i];
    }
  }
}

void check_equal_bits(const std::shared_ptr<const Model>& model, int64_t n, KvType kv, bool with_scalar) {
  const auto ids = random_tokens(n, model->config().vocab_size, 3);
  const auto vocab = static_cast<std::size_t>(model->config().vocab_size);
  const auto& fast = choose_kernels();
  const Logits expected = run_alone(model, ids, {"at once, 1 thread", 1, &fast, 1 << 20}, kv);
  for (const float v : expected) ASSERT_TRUE(std::isfinite(v));
  for (const int64_t chunk : {1, 7, 64}) {
    expect_same(expected, run_alone(model, ids, {"", 2, &fast, chunk}, kv),
                fmt::format("chunks of {}", chunk), vocab);
  }
  for (const int threads : {2, 3, 4}) {
    expect_same(expected, run_alone(model, ids, {"", threads, &fast, 1 << 20}, kv),
                fmt::format("{} threads", threads), vocab);
  }
  expect_same(expected, run_in_company(model, ids, {"", 2, &fast}, kv), "in a batch with strangers", vocab);
  expect_same(expected, run_forked(model, ids, {"", 2, &fast}, kv), "forked half way", vocab);
  if (with_scalar && &fast != &kernels::scalar_table()) {
    expect_same(expected, run_alone(model, ids, {"", 2, &kernels::scalar_table(), 64}, kv), "scalar kernels",
                vocab);
  }
}

using Pair = std::pair<const models::Family*, std::string_view>;
class EqualBits : public ::testing::TestWithParam<Pair> {};

TEST_P(EqualBits, HoldHoweverALogitIsComputed) {
  const auto [family, format] = GetParam();
  const auto path = testing::write_tiny_model(*family, {.format = format});
  ThreadPool pool(2);
  const auto model = Model::load(path, {}, pool);
  std::filesystem::remove(path);
  check_equal_bits(model, 150, KvType::kF16, true);
  check_equal_bits(model, 601, KvType::kF16, true);  // past the 512-key split
}

TEST_P(EqualBits, HoldOnTheReferencePath) {
  const auto [family, format] = GetParam();
  const auto path = testing::write_tiny_model(*family, {.format = format, .n_heads = 3, .n_kv_heads = 1});
  ThreadPool pool(2);
  const auto model = Model::load(path, {Compute::kReference, {}}, pool);
  std::filesystem::remove(path);
  check_equal_bits(model, 150, KvType::kF32, true);
}

// Every format in one family, every family in a float and a quantised format: a product knows nothing of its
// family. Of encoders: tests/engine/embedder_test.cpp.
std::vector<Pair> families_and_formats() {
  std::vector<Pair> pairs;
  for (const auto* format : quant::formats()) {
    for (const models::Family* family : models::families()) {
      const bool every = family->name == "llama" || format->name == "f32" || format->name == "q8_0";
      if (every && family->role() == models::Role::kDecoder) pairs.emplace_back(family, format->name);
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Families, EqualBits, ::testing::ValuesIn(families_and_formats()),
                         [](const auto& each) {
                           return std::string(each.param.first->name) + "_" + std::string(each.param.second);
                         });

// Four layers, of which the second and the fourth see all and the others 512 keys.
std::shared_ptr<const Model> load_windowed(ThreadPool& pool) {
  const auto path = testing::write_tiny_model(*models::find_family("gemma3"),
                                              {.format = "q8_0",
                                               .n_layers = 4,
                                               .n_ctx = 4096,
                                               .more = {{"gemma3.attention.sliding_window", uint32_t{512}}}});
  const auto model = Model::load(path, {}, pool);
  std::filesystem::remove(path);
  return model;
}

// BR-068
TEST(EqualBitsAroundAWindow, HoldBeforeAtAndPastIt) {
  ThreadPool pool(2);
  const auto model = load_windowed(pool);
  ASSERT_EQ(model->config().windows, (std::vector<int64_t>{512, 0, 512, 0}));
  for (const int64_t n : {511, 512, 513, 700, 1500}) {
    SCOPED_TRACE(fmt::format("{} tokens", n));
    check_equal_bits(model, n, KvType::kF16, n == 700);
  }
}

// The window's blocks are given back while a long text is read, and reading goes on to four times the window,
// whether the prompt came in pieces or at once.
// BR-073
TEST(WindowedCache, StaysBoundedOverALongText) {
  ThreadPool pool(2);
  Runner runner(load_windowed(pool), {KvType::kF16, 0, 4096}, pool);
  KvCache& cache = runner.cache();
  ASSERT_EQ(cache.n_groups(), 2);
  const int windowed = cache.window(0) == 512 ? 0 : 1, full = 1 - windowed;
  const auto ids = random_tokens(2100, runner.model().config().vocab_size, 4);
  for (const std::size_t chunk : {std::size_t{64}, std::size_t{1500}}) {
    Sequence sequence(cache);
    Batch batch;
    for (std::size_t at = 0; at < ids.size();) {
      const std::size_t n = std::min(at < 1500 ? chunk : std::size_t{1}, ids.size() - at);
      batch.clear();
      batch.add(sequence, std::span(ids).subspan(at, n), Batch::Logits::kLast);
      for (const float x : runner.forward(batch).row_span(0)) ASSERT_TRUE(std::isfinite(x));
      sequence.advance(static_cast<int64_t>(n));
      at += n;
      ASSERT_LE(cache.pool(windowed).n_used(), 512 / kKvBlock + 1) << "at " << at;
    }
    EXPECT_EQ(cache.pool(full).n_used(), 33);
    if (chunk == 64) {
      EXPECT_LE(cache.pool(windowed).most_used(), 512 / kKvBlock + 2);
    }
  }
  EXPECT_EQ(cache.pool(windowed).n_used(), 0);
}

TEST(EqualBitsOnARealModel, Hold) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  ThreadPool pool(2);
  const auto model = Model::load(*path, {}, pool);
  const bool fast = &choose_kernels() != &kernels::scalar_table();
  if (fast) check_equal_bits(model, 530, KvType::kF16, false);  // past the 512-key split
  check_equal_bits(model, 40, KvType::kF16, true);
}

}  // namespace
}  // namespace kelda
