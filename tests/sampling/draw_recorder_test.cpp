#include "sampling/draw_recorder.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

const std::vector<float> kFour = {3, 2, 1, 0};

DrawRecord record_of(const std::string& settings, const std::vector<float>& logits, std::size_t n_top = 10,
                     const History& history = {}, const DrawKey& key = {1, 0, 0}) {
  Chain chain(knobs_of(settings), logits.size(), selftest_text());
  DrawRecorder recorder(n_top);
  chain.observe(&recorder);
  recorder.begin(logits);
  (void)chain.draw(logits, history, key);
  return recorder.take();
}

std::vector<std::string> stage_names(const DrawRecord& record) {
  std::vector<std::string> names;
  for (const StageRecord& s : record.stages) names.push_back(s.name);
  return names;
}

double entropy_bits(const std::vector<double>& p) {
  double sum = 0;
  for (const double x : p) sum -= x > 0 ? x * std::log2(x) : 0;
  return sum;
}

TEST(DrawRecorder, WorkedValues) {
  // top-k 3 then top-p .9 keeps two: .6652 + .2447 = .9100
  const DrawRecord record = record_of(R"({"top_k": 3, "top_p": 0.9})", kFour);
  ASSERT_EQ(stage_names(record), (std::vector<std::string>{"top_k", "top_p"}));
  EXPECT_EQ(record.stages[0].n_left, 3u);
  EXPECT_NEAR(record.stages[0].mass_kept, .9679, 5e-5);
  EXPECT_EQ(record.stages[0].mass_kept, record.stages[0].mass_of_raw);
  EXPECT_EQ(record.stages[1].n_left, 2u);
  EXPECT_NEAR(record.stages[1].mass_kept, .9100, 6e-5);
  EXPECT_NEAR(record.stages[1].mass_of_raw, .8808, 5e-5);
  EXPECT_EQ(record.n_raw, 4u);
  EXPECT_EQ(record.draw.n_left, 2u);
  ASSERT_EQ(record.candidates.size(), 4u);
  const double raw[] = {.6439, .2369, .0871, .0321}, drawn_from[] = {.7311, .2689, 0, 0};
  const int removed_by[] = {-1, -1, 1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    const CandidateRecord& c = record.candidates[i];
    EXPECT_EQ(c.id, static_cast<TokenId>(i));
    EXPECT_EQ(c.logit, kFour[i]);
    EXPECT_NEAR(c.p, raw[i], 6e-5);
    EXPECT_NEAR(c.p_drawn, drawn_from[i], 5e-5);
    EXPECT_EQ(c.removed_by, removed_by[i]);
  }
  EXPECT_NEAR(record.raw_entropy, entropy_bits({.643914, .236883, .087144, .032059}), 1e-5);
  EXPECT_NEAR(record.entropy, entropy_bits({.731059, .268941}), 1e-5);
}

TEST(DrawRecorder, StagesAreToldInTheOrderThatIsDocumentedThoughTopKRunsEarly) {
  const DrawRecord record = record_of(R"({"temperature": 2, "top_k": 2, "top_p": 0.6})", kFour);
  ASSERT_EQ(stage_names(record), (std::vector<std::string>{"temperature", "top_k", "top_p"}));
  EXPECT_EQ(record.stages[0].n_left, 4u);
  EXPECT_EQ(record.stages[0].mass_kept, 1);
  EXPECT_EQ(record.stages[0].mass_of_raw, 1);
  EXPECT_NEAR(record.stages[1].mass_kept, .455 + .276, 6e-4) << "of the distribution at temperature 2";
  EXPECT_NEAR(record.stages[1].mass_of_raw, .8808, 5e-5);
  EXPECT_EQ(record.stages[2].n_left, 1u);
  EXPECT_EQ(record.candidates[1].removed_by, 2);
  EXPECT_EQ(record.candidates[2].removed_by, 1);
  // Asked for the other way round, it is told the other way round.
  const DrawRecord other =
      record_of(R"({"temperature": 2, "top_k": 2, "sampler_order": ["top_k", "temperature"]})", kFour);
  ASSERT_EQ(stage_names(other), (std::vector<std::string>{"top_k", "temperature"}));
  EXPECT_NEAR(other.stages[0].mass_kept, .8808, 5e-5);
  EXPECT_EQ(other.stages[1].mass_kept, 1);
}

TEST(DrawRecorder, GreedyIsAStageThatLeavesOne) {
  const std::vector<TokenId> said = {0};
  const DrawRecord record =
      record_of(R"({"temperature": 0, "repetition_penalty": 3})", kFour, 10, {said, {}});
  EXPECT_TRUE(record.greedy);
  EXPECT_EQ(record.draw.id, 1);
  ASSERT_EQ(stage_names(record), (std::vector<std::string>{"repetition_penalty", "greedy"}));
  EXPECT_EQ(record.stages[0].mass_kept, 1);
  EXPECT_EQ(record.stages[1].n_left, 1u);
  const double total = std::exp(1) + std::exp(2) + std::exp(1) + 1;
  EXPECT_NEAR(record.stages[1].mass_kept, std::exp(2) / total, 1e-12);
  EXPECT_NEAR(record.stages[1].mass_of_raw, .2369, 5e-5);
  EXPECT_EQ(record.entropy, 0);
  EXPECT_EQ(record.candidates[0].removed_by, 1);
  EXPECT_EQ(record.candidates[1].p_drawn, 1);
}

TEST(DrawRecorder, WhatTheChainIsNotGivenIsToldFirst) {
  std::vector<float> masked = kFour;
  masked[0] = -std::numeric_limits<float>::infinity();
  Chain chain(knobs_of(R"({"top_k": 1})"), 4);
  DrawRecorder recorder(1);
  chain.observe(&recorder);
  recorder.begin(kFour);
  EXPECT_EQ(chain.draw(masked, {}, {}).id, 1);
  const DrawRecord record = recorder.take();
  ASSERT_EQ(stage_names(record), (std::vector<std::string>{"min_tokens", "top_k"}));
  EXPECT_EQ(record.stages[0].n_left, 3u);
  EXPECT_NEAR(record.stages[0].mass_of_raw, 1 - .6439, 5e-5);
  // The likeliest raw token and the likeliest that was left, which is also the drawn one.
  ASSERT_EQ(record.candidates.size(), 2u);
  EXPECT_EQ(record.candidates[0].removed_by, 0);
  EXPECT_EQ(record.candidates[1].id, 1);
}

TEST(DrawRecorder, WithoutAStageNothingIsRemoved) {
  const DrawRecord record = record_of("{}", some_logits(500), 3);
  EXPECT_TRUE(record.stages.empty());
  EXPECT_EQ(record.entropy, record.raw_entropy);
  EXPECT_EQ(record.draw.n_left, 500u);
  for (const CandidateRecord& c : record.candidates) EXPECT_EQ(c.p, c.p_drawn);
  EXPECT_NEAR(record_of("{}", std::vector<float>(256, 1.0f), 3).raw_entropy, 8, 1e-12);
}

TEST(DrawRecorder, TopIsOfTheRawAndOfTheFinalDistributionAndHasTheDrawn) {
  std::vector<float> logits = some_logits(400);
  logits[7] = -9;  // unlikely, and then likely
  const DrawRecord record = record_of(R"({"logit_bias": {"7": 100}})", logits, 4);
  EXPECT_EQ(record.draw.id, 7);
  EXPECT_EQ(record.candidates.size(), 5u) << "seven and the four others, which are also next to it";
  EXPECT_EQ(record.candidates.back().id, 7);
  const auto best = top_logprobs(logits, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(record.candidates[i].id, best[i].id);
    EXPECT_NEAR(record.candidates[i].p, std::exp(best[i].logprob), 1e-12);
  }
  EXPECT_EQ(record_of("{}", logits, 0).candidates.size(), 1u);
}

// What each stage left, computed from the textbooks of the stages so far: a chain cut off there.
TEST(DrawRecorder, EqualsTheTextbooksOfEveryCase) {
  const std::vector<float> logits = selftest_logits();
  const History history = selftest_history();
  for (const SelftestCase& test : selftest_cases()) {
    const Knobs knobs = knobs_of(test);
    Chain chain(knobs, logits.size(), selftest_text());
    DrawRecorder recorder(logits.size());
    chain.observe(&recorder);
    recorder.begin(logits);
    (void)chain.draw(logits, history, {17, 0, 5});
    const DrawRecord record = recorder.take();
    ASSERT_EQ(record.candidates.size(), record.n_raw) << test.name;

    double raw_sum = 0, drawn_sum = 0;
    std::vector<double> raw, drawn_from;
    for (const CandidateRecord& c : record.candidates) {
      raw_sum += c.p;
      drawn_sum += c.p_drawn;
      raw.push_back(c.p);
      drawn_from.push_back(c.p_drawn);
    }
    EXPECT_NEAR(raw_sum, 1, 1e-12) << test.name;
    EXPECT_NEAR(drawn_sum, 1, 1e-12) << test.name;
    EXPECT_NEAR(record.raw_entropy, entropy_bits(raw), 1e-9) << test.name;
    EXPECT_NEAR(record.entropy, entropy_bits(drawn_from), 1e-9) << test.name;

    // A mass is what of the raw distribution the candidates have that this stage and those before it left.
    std::size_t n_before = record.n_raw;
    for (std::size_t s = 0; s < record.stages.size(); ++s) {
      const StageRecord& stage = record.stages[s];
      std::size_t n_left = 0;
      double mass = 0;
      for (const CandidateRecord& c : record.candidates) {
        if (c.removed_by >= 0 && c.removed_by <= static_cast<int>(s)) continue;
        ++n_left;
        mass += c.p;
      }
      EXPECT_EQ(stage.n_left, n_left) << test.name << ' ' << stage.name;
      EXPECT_NEAR(stage.mass_of_raw, mass, 1e-12) << test.name << ' ' << stage.name;
      EXPECT_LE(stage.n_left, n_before) << test.name << ' ' << stage.name;
      if (n_left == n_before) {
        EXPECT_EQ(stage.mass_kept, 1) << test.name << ' ' << stage.name;
      }
      n_before = stage.n_left;
    }

    // The whole chain's textbook, where chance has no say in the candidates.
    const bool by_chance = std::any_of(samplers().begin(), samplers().end(), [&](const SamplerSpec* spec) {
      return spec->chance != nullptr && spec->is_on(knobs);
    });
    if (by_chance || test.steps != 1) continue;
    const std::vector<double> p = textbook_distribution(logits, history, knobs);
    for (const CandidateRecord& c : record.candidates)
      EXPECT_NEAR(c.p_drawn, p[static_cast<std::size_t>(c.id)], 1e-6) << test.name << ' ' << c.id;
  }
}

// The mass that a stage keeps of what was before, from the textbook of the chain without and with it.
TEST(DrawRecorder, MassesAreThoseOfTheTextbookOneStageAfterAnother) {
  const std::vector<float> logits = selftest_logits();
  const std::string settings[] = {R"("temperature": 1.4)", R"("top_k": 40)",  R"("typical_p": 0.9)",
                                  R"("top_p": 0.8)",       R"("min_p": 0.1)", R"("top_n_sigma": 1.5)"};
  std::string so_far;
  std::vector<double> before = textbook_distribution(logits, {}, knobs_of("{}"));
  const std::vector<double> raw = before;
  for (std::size_t n = 0; n < std::size(settings); ++n) {
    so_far += (n == 0 ? "" : ", ") + settings[n];
    const DrawRecord record = record_of("{" + so_far + "}", logits, logits.size());
    ASSERT_EQ(record.stages.size(), n + 1);
    const std::vector<double> after = textbook_distribution(logits, {}, knobs_of("{" + so_far + "}"));
    double kept = 0, of_raw = 0;
    std::size_t n_left = 0;
    for (std::size_t id = 0; id < after.size(); ++id) {
      if (after[id] == 0) continue;
      kept += before[id];
      of_raw += raw[id];
      ++n_left;
    }
    EXPECT_EQ(record.stages[n].n_left, n_left) << so_far;
    EXPECT_NEAR(record.stages[n].mass_kept, kept, 1e-6) << so_far;
    EXPECT_NEAR(record.stages[n].mass_of_raw, of_raw, 1e-6) << so_far;
    before = after;
  }
}

TEST(DrawRecorder, ChangesNoDraw) {
  const std::vector<float> logits = selftest_logits();
  const History history = selftest_history();
  for (const SelftestCase& test : selftest_cases()) {
    Chain plain(knobs_of(test), logits.size(), selftest_text());
    Chain observed(knobs_of(test), logits.size(), selftest_text());
    DrawRecorder recorder(5);
    observed.observe(&recorder);
    std::vector<TokenId> generated;
    for (uint32_t i = 0; i < 60; ++i) {  // each draw follows the one before: mirostat learns
      recorder.begin(logits);
      const Draw a = plain.draw(logits, {history.prompt, generated}, {3, 0, i});
      const Draw b = observed.draw(logits, {history.prompt, generated}, {3, 0, i});
      ASSERT_EQ(a.id, b.id) << test.name << ' ' << i;
      ASSERT_EQ(a.uniform, b.uniform) << test.name << ' ' << i;
      ASSERT_EQ(a.n_left, b.n_left) << test.name << ' ' << i;
      ASSERT_EQ(plain.left().size(), observed.left().size()) << test.name << ' ' << i;
      for (std::size_t c = 0; c < plain.left().size(); ++c)
        ASSERT_EQ(plain.left().all()[c].logit, observed.left().all()[c].logit) << test.name << ' ' << i;
      const DrawRecord record = recorder.take();
      EXPECT_EQ(record.draw.id, a.id);
      EXPECT_EQ(record.stages.empty() ? record.n_raw : record.stages.back().n_left, a.n_left) << test.name;
      generated.push_back(a.id);
    }
  }
}

}  // namespace
}  // namespace kelda::sampling
