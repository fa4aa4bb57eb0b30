// The reference path against an independent float32 engine: tests/golden/logits_smollm2.json, made by
// scripts/make_logits_golden.py, and any other file of that form named in KELDA_REFERENCE, for the model file
// KELDA_REFERENCE_MODEL (the test model where that is unset).
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "engine/engine.h"
#include "sampling/chain.h"
#include "sampling/request_knobs.h"
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
      check_prompt_logprobs(prompt);
    }
    std::printf(
        "%s: %d log probabilities, %d greedy tokens, %d prompts with their sums, worst difference %.6f\n",
        path.c_str(), n_values, n_greedy, n_prompts_with_sums_, worst_);
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

  // What the engine tells of the prompt's tokens, and their sum.
  void check_prompt_logprobs(const nlohmann::json& prompt) {
    if (!prompt.contains("token_logprobs")) return;
    Knobs knobs(sampling::request_knobs());
    knobs.set_from_json(R"({"max_tokens": 0, "prompt_logprobs": 0})", "test");
    Engine engine(*runner_, {});
    engine.add({prompt["tokens"].get<std::vector<TokenId>>(), std::move(knobs)});
    std::vector<TokenReport> reports;
    while (engine.step([&](const Event& e) { reports = e.prompt_logprobs; })) {
    }
    const auto& expected = prompt["token_logprobs"];
    ASSERT_EQ(reports.size(), expected.size());
    double sum = 0;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      EXPECT_NEAR(reports[i].logprob, expected[i].get<double>(), kTolerance) << "prompt token " << i + 1;
      sum += reports[i].logprob;
    }
    EXPECT_NEAR(sum, prompt["sum_logprob"].get<double>(),
                1e-4 * static_cast<double>(reports.size()) + kTolerance);
    n_prompts_with_sums_ += 1;
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
  int n_prompts_with_sums_ = 0;
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
