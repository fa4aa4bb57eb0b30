#include "engine/runner.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "models/tiny_model.h"

namespace kelda {
namespace {

std::shared_ptr<const Model> tiny(ThreadPool& pool) {
  const models::Family& llama = *models::find_family("llama");
  const auto path = testing::write_tiny_model(llama, {.format = "q4_1", .n_ctx = 128});
  auto model = Model::load(path, {}, pool);
  std::filesystem::remove(path);
  return model;
}

TEST(Runner, CountsPassesAndTokenPasses) {
  ThreadPool pool(2);
  Runner runner(tiny(pool), {}, pool);
  const std::vector<TokenId> ids = {5, 6, 7, 8, 9};
  runner.all_logits(ids, 2, [](int64_t, std::span<const float>) {});
  EXPECT_EQ(runner.n_passes(), 3);
  EXPECT_EQ(runner.n_token_passes(), 5);
  EXPECT_EQ(runner.cache().bytes_used(), 0u) << "the sequence is gone";
}

TEST(Runner, GivesLogitsOfTheRowsAskedForInOrder) {
  ThreadPool pool(2);
  Runner runner(tiny(pool), {}, pool);
  const auto vocab = static_cast<std::size_t>(runner.model().config().vocab_size);
  const std::vector<TokenId> ids = {5, 6, 7, 8, 9};
  std::vector<std::vector<float>> all;
  runner.all_logits(ids, 5, [&](int64_t pos, std::span<const float> row) {
    EXPECT_EQ(pos, static_cast<int64_t>(all.size()));
    all.emplace_back(row.begin(), row.end());
  });
  ASSERT_EQ(all.size(), 5u);
  Sequence a(runner.cache()), b(runner.cache());
  Batch batch;
  batch.add(a, ids, Batch::Logits::kLast);
  batch.add(b, std::span(ids).first(3), Batch::Logits::kNone);
  const Matrix<const float> logits = runner.forward(batch);
  ASSERT_EQ(logits.rows, 1);
  EXPECT_EQ(std::vector<float>(logits.data, logits.data + vocab), all[4]);
  b.advance(3);
  batch.clear();
  batch.add(b, std::span(ids).subspan(3, 1), Batch::Logits::kAll);
  EXPECT_EQ(std::vector<float>(runner.forward(batch).data, runner.forward(batch).data + vocab), all[3]);
}

TEST(Runner, RefusesATextLongerThanTheWindowWithBothCounts) {
  ThreadPool pool(1);
  Runner runner(tiny(pool), {}, pool);
  const std::vector<TokenId> ids(129, 5);
  try {
    runner.all_logits(ids, 64, [](int64_t, std::span<const float>) {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kContextLength);
    EXPECT_NE(std::string(e.what()).find("129"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("128"), std::string::npos);
  }
}

TEST(Runner, ScratchStopsGrowingOnceTheLargestPassWasSeen) {
  ThreadPool pool(2);
  Runner runner(tiny(pool), {}, pool);
  const std::vector<TokenId> ids(100, 7);
  runner.all_logits(ids, 50, [](int64_t, std::span<const float>) {});
  const uint64_t bytes = runner.scratch_bytes();
  for (int i = 0; i < 3; ++i) runner.all_logits(ids, 50, [](int64_t, std::span<const float>) {});
  EXPECT_EQ(runner.scratch_bytes(), bytes);
}

}  // namespace
}  // namespace kelda
