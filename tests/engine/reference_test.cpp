// The reference path against an independent float32 engine: tests/golden/logits_smollm2.json, made by
// scripts/make_logits_golden.py, and any other file of that form named in KELDA_REFERENCE, for the model file
// KELDA_REFERENCE_MODEL (the test model where that is unset).
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "engine/runner.h"
#include "sampling/chain.h"
#include "test_model.h"

namespace kelda {
namespace {

constexpr double kTolerance = 2e-3;  // of a log probability: float32 rounding over the depth of the network
constexpr double kSureGap = 0.01;    // greedy choices with a smaller lead than this may fall either way

class Reference : public ::testing::Test {
 protected:
  void check_file(const std::string& path, const std::filesystem::path& model) {
    pool_ = std::make_unique<ThreadPool>(2);
    runner_ = std::make_unique<Runner>(Model::load(model, {Compute::kReference, {}}, *pool_),
                                       Runner::Options{KvType::kF32, 0, 2048}, *pool_);
    const auto golden = nlohmann::json::parse(read_text(path, 16 << 20));
    int n_values = 0, n_greedy = 0;
    for (const auto& prompt : golden["prompts"]) {
      SCOPED_TRACE(prompt["name"].get<std::string>());
      n_values += check_top(prompt);
      n_greedy += check_greedy(prompt);
    }
    std::printf("%s: %d log probabilities, %d greedy tokens, worst difference %.6f\n", path.c_str(), n_values,
                n_greedy, worst_);
    EXPECT_GT(n_values, 100);
    EXPECT_GT(n_greedy, 50);
  }

 private:
  int check_top(const nlohmann::json& prompt) {
    const auto ids = prompt["tokens"].get<std::vector<TokenId>>();
    int n = 0;
    runner_->all_logits(ids, 64, [&](int64_t pos, std::span<const float> row) {
      for (const auto& top : prompt["top"]) {
        if (top["pos"] != pos) continue;
        for (std::size_t i = 0; i < top["ids"].size(); ++i, ++n) {
          const double expected = top["logprobs"][i];
          const double got = sampling::logprob(row, top["ids"][i].get<TokenId>());
          worst_ = std::max(worst_, std::abs(got - expected));
          EXPECT_NEAR(got, expected, kTolerance) << "position " << pos << " token " << top["ids"][i];
        }
      }
    });
    return n;
  }

  int check_greedy(const nlohmann::json& prompt) {
    auto next = prompt["tokens"].get<std::vector<TokenId>>();
    Sequence sequence(runner_->cache());
    Batch batch;
    int n = 0;
    for (std::size_t i = 0; i < prompt["greedy"].size(); ++i, ++n) {
      if (prompt["greedy_gap"][i].get<double>() <= kSureGap) break;
      batch.clear();
      batch.add(sequence, next, Batch::Logits::kLast);
      const Matrix<const float> logits = runner_->forward(batch);
      sequence.advance(static_cast<int64_t>(next.size()));
      const auto best = sampling::top_logprobs(logits.row_span(0), 1);
      EXPECT_EQ(best[0].id, prompt["greedy"][i].get<TokenId>()) << "greedy step " << i;
      next = {best[0].id};
    }
    return n;
  }

  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Runner> runner_;
  double worst_ = 0;
};

TEST_F(Reference, AgreesWithTheGoldenValues) {
  const auto model = testing::test_model();
  if (!model) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  check_file(std::string(KELDA_SOURCE_DIR) + "/tests/golden/logits_smollm2.json", *model);
}

TEST_F(Reference, AgreesWithFurtherValuesWhereGiven) {
  const char* further = std::getenv("KELDA_REFERENCE");
  if (further == nullptr) GTEST_SKIP() << "KELDA_REFERENCE is not set";
  const char* named = std::getenv("KELDA_REFERENCE_MODEL");
  const auto model = named != nullptr ? std::optional<std::filesystem::path>(named) : testing::test_model();
  if (!model) GTEST_SKIP() << "neither KELDA_REFERENCE_MODEL nor KELDA_TEST_MODEL is set";
  check_file(further, *model);
}

}  // namespace
}  // namespace kelda
