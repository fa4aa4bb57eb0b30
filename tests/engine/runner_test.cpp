#include "engine/runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

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

TEST(Runner, SaysWhatToDoAboutAWindowThatCannotBe) {
  ThreadPool pool(1);
  const auto refusal = [&](const Runner::Options& options) {
    try {
      const Runner runner(tiny(pool), options, pool);
    } catch (const Error& e) {
      return std::string(traits(e.code()).name) + ": " + e.what();
    }
    return std::string();
  };
  EXPECT_EQ(
      refusal({KvType::kF16, 129}),
      "usage: window (--window) must be in [1, 128], the window that the model was trained on, or 0 for "
      "all of it; got 129");
  const std::string no_memory = refusal({KvType::kF16, 0, int64_t{1} << 40});
  EXPECT_EQ(no_memory.find("out_of_memory: a KV cache of 1099511627776 tokens"), 0u) << no_memory;
  EXPECT_NE(no_memory.find("; a smaller window (--window) needs less"), std::string::npos) << no_memory;
}

TEST(WayOut, NamesWhatIsPossible) {
  EXPECT_EQ(way_out(64, 63, 128),
            "shorten the prompt to at most 63 tokens, or take a larger window (--window, at most 128)");
  EXPECT_EQ(way_out(128, 127, 128), "shorten the prompt to at most 127 tokens");
  EXPECT_EQ(way_out(2, 1, 2), "shorten the prompt to at most 1 token");
  EXPECT_EQ(way_out(1, 0, 128), "take a larger window (--window, at most 128)");
  EXPECT_EQ(way_out(1, 0, 1), "this model has no larger one");
}

TEST(RequireANumber, OneBesideMinusInfinityIsEnoughAndNanOrPlusInfinityIsAFault) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float x :
       {0.0f, -1e38f, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()})
    EXPECT_NO_THROW(require_a_number(std::vector<float>{-kInfinity, -kInfinity, x}, 7));
  const auto refusal = [](std::vector<float> logits) {
    try {
      require_a_number(logits, 7);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInternal);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({-kInfinity, -kInfinity}), "position 7: the model gave no logit that is a number");
  EXPECT_EQ(refusal({}), "position 7: the model gave no logit that is a number");
  std::vector<float> logits(1001, 0.5f);
  for (const std::size_t at : {0u, 500u, 1000u}) {
    for (const auto& [x, name] : {std::pair{kNan, "NaN"}, {-kNan, "NaN"}, {kInfinity, "+infinity"}}) {
      logits[at] = x;
      EXPECT_EQ(refusal(logits), fmt::format("position 7: the model gave token {} the logit {}, which is no "
                                             "number: its weights are broken",
                                             at, name));
    }
    logits[at] = -kInfinity;
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
