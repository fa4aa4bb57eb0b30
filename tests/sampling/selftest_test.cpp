#include "sampling/selftest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "sampling/chi_square.h"
#include "sampling/draws.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

TEST(Selftest, EveryCasePasses) {
  const bool is_long = std::getenv("KELDA_TEST_LONG") != nullptr;
  const uint64_t draws = is_long ? 1000000 : 10000;
  for (const SelftestRow& row : run_selftest(draws)) {
    EXPECT_TRUE(row.ok) << row.name << ": chi2 " << row.chi2 << ", dof " << row.dof << ", p " << row.p;
    EXPECT_EQ(row.draws, draws);
  }
}

// A distribution that is a little off is seen: the test that says "ok" can also say no.
TEST(Selftest, DrawsOfOtherSettingsDoNotPass) {
  const std::vector<float> logits = some_logits(64);
  const auto p_value = [&](const std::string& drawn, const std::string& expected) {
    std::vector<uint64_t> counts(logits.size(), 0);
    for (const TokenId id : draw_many(drawn, logits, 50000)) ++counts[static_cast<std::size_t>(id)];
    return chi_square(counts, textbook_distribution(logits, {}, knobs_of(expected))).p;
  };
  EXPECT_GT(p_value("{}", "{}"), 1e-4);
  EXPECT_LT(p_value("{}", R"({"temperature": 1.05})"), 1e-4);
  EXPECT_LT(p_value(R"({"top_k": 12})", R"({"top_k": 13})"), 1e-4);
  EXPECT_LT(p_value(R"({"top_k": 13})", R"({"top_k": 12})"), 1e-4);
  EXPECT_LT(p_value(R"({"min_p": 0.1})", "{}"), 1e-4);
}

// A sampler with a fault: the best token that it leaves is half a logit too likely.
class Faulty final : public Sampler {
 public:
  explicit Faulty(std::unique_ptr<Sampler> sound) : sound_(std::move(sound)) {}
  void apply(Candidates& candidates, const History& history, const DrawKey& key) override {
    sound_->apply(candidates, history, key);
    candidates.find(candidates.best().id)->logit += 0.5f;
  }
  void drew(const Candidate& drawn) override { sound_->drew(drawn); }

 private:
  std::unique_ptr<Sampler> sound_;
};
const SamplerSpec* sound_spec = nullptr;  // what a fault is planted in: a spec's functions cannot carry it

using Make = decltype(SamplerSpec::make);
std::unique_ptr<Sampler> make_faulty(const Knobs& knobs, const TokenText& text, std::size_t vocab_size) {
  return std::make_unique<Faulty>(sound_spec->make(knobs, text, vocab_size));
}
// Sound, but of a setting that is a little off.
std::unique_ptr<Sampler> off_by(Knobs knobs, const char* name, double by) {
  const bool integer = knobs.find(name).type == KnobType::kInt;
  const double value = by + (integer ? static_cast<double>(knobs.integer(name)) : knobs.number(name));
  knobs.set(name, integer ? KnobValue(static_cast<int64_t>(value)) : KnobValue(value), "test");
  return sound_spec->make(knobs, selftest_text(), 300);
}

// All samplers, of which one is made otherwise.
class WithFault {
 public:
  WithFault(std::string_view name, Make make) : all(samplers_in_order()) {
    const auto spec =
        std::find_if(all.begin(), all.end(), [&](const SamplerSpec* s) { return s->name == name; });
    EXPECT_NE(spec, all.end()) << name;
    sound_spec = *spec;
    faulty_ = **spec;
    faulty_.make = make;
    *spec = &faulty_;
  }
  WithFault(const WithFault&) = delete;
  WithFault& operator=(const WithFault&) = delete;

  SamplerList all;

 private:
  SamplerSpec faulty_;
};

SelftestRow row_of(std::string_view name, const SamplerList& all) {
  for (const SelftestCase& test : selftest_cases(all)) {
    if (test.name == name) return run_case(test, selftest_logits(), selftest_history(), 30000, all);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Selftest, FindsAFaultInEachSampler) {
  for (const SamplerSpec* spec : samplers_in_order()) {
    EXPECT_TRUE(row_of(spec->name, samplers_in_order()).ok) << spec->name;
    EXPECT_FALSE(row_of(spec->name, WithFault(spec->name, make_faulty).all).ok) << spec->name;
  }
}

TEST(Selftest, FindsASettingThatIsALittleOff) {
  const std::pair<std::string_view, Make> faults[] = {
      {"top_k", [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "top_k", 1); }},
      {"top_p", [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "top_p", 0.01); }},
      {"temperature",
       [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "temperature", 0.1); }},
      {"xtc",
       [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "xtc_probability", 0.1); }},
      {"dry",
       [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "dry_allowed_length", 1); }},
      {"mirostat",
       [](const Knobs& k, const TokenText&, std::size_t) { return off_by(k, "mirostat_tau", 0.2); }},
  };
  for (const auto& [name, make] : faults) EXPECT_FALSE(row_of(name, WithFault(name, make).all).ok) << name;
}

TEST(Selftest, AFaultIsSeenInTheWhole) {
  const WithFault planted("top_k", make_faulty);
  int n_failed = 0;
  for (const SelftestRow& row : run_selftest(2000, planted.all)) n_failed += row.ok ? 0 : 1;
  EXPECT_GE(n_failed, 1);
}

}  // namespace
}  // namespace kelda::sampling
