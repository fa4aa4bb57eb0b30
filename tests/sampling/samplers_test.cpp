// What every sampler of the catalogue keeps to, and what each one does.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "sampling/draws.h"
#include "sampling/selftest.h"

namespace kelda::sampling {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

// The least and the greatest values that a row allows, and their neighbours.
std::vector<KnobValue> borders(const Knob& knob) {
  const double least = knob.lo_open ? std::nextafter(knob.lo, kUnbounded) : knob.lo;
  const double most = std::min(knob.hi, std::numeric_limits<double>::max());
  switch (knob.type) {
    case KnobType::kFloat:
      return {least, std::nextafter(least, kUnbounded), std::nextafter(most, least), most};
    case KnobType::kInt: {
      const auto lo = static_cast<int64_t>(knob.lo), hi = static_cast<int64_t>(knob.hi);
      return {lo, lo + 1, lo + 2, hi - 1, hi};
    }
    case KnobType::kTokenBias:
      return {TokenBias{{0, knob.hi}, {1, knob.lo}}, TokenBias{{2, std::nextafter(knob.lo, 0)}}};
    case KnobType::kBool:
      return {false, true};
    default:
      return {};
  }
}

// Settings that switch a sampler on: its own ones, and each knob at its borders beside the first of them.
std::vector<Knobs> on_settings(const SamplerSpec& spec) {
  std::vector<Knobs> all;
  for (const std::string_view settings : spec.selftest) all.push_back(knobs_of(std::string(settings)));
  for (const Knob& knob : spec.knobs) {
    for (const KnobValue& value : borders(knob)) {
      Knobs knobs = knobs_of(std::string(spec.selftest.at(0)));
      knobs.set(knob.name, value, "test");
      all.push_back(knobs);
    }
  }
  std::erase_if(all, [&](const Knobs& knobs) { return !spec.is_on(knobs); });
  return all;
}

std::string words(const SamplerSpec& spec, const Knobs& knobs) {
  std::string out(spec.name);
  for (const Knob& knob : spec.knobs) {
    if (knob.type == KnobType::kFloat) out += fmt::format(" {}={}", knob.name, knobs.number(knob.name));
    if (knob.type == KnobType::kInt) out += fmt::format(" {}={}", knob.name, knobs.integer(knob.name));
  }
  return out;
}

std::vector<std::vector<float>> hard_logits() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> one(300, -kInf);
  one[17] = -3;
  std::vector<float> mixed = some_logits(300);
  mixed[3] = nan;
  mixed[4] = -kInf;
  return {some_logits(300),
          some_logits(300, 1e-30),
          std::vector<float>(300, 0.0f),
          std::vector<float>(300, -kMax),
          std::vector<float>(300, kMax),
          some_logits(300, 6e38),
          one,
          mixed,
          {5.0f, 1.0f, 0.0f}};
}

constexpr std::size_t kIds = 300;

// Those that the user can ask to leave nothing.
bool bans(const SamplerSpec& spec) {
  return spec.stage == Stage::kBadWords || spec.stage == Stage::kBadStrings ||
         spec.stage == Stage::kNoRepeatNgram;
}

template <typename Act>
void for_every_setting(const Act& act) {
  for (const SamplerSpec* spec : samplers()) {
    const std::vector<Knobs> settings = on_settings(*spec);
    ASSERT_GE(settings.size(), 1u) << spec->name;
    for (const Knobs& knobs : settings) {
      SCOPED_TRACE(words(*spec, knobs));
      for (const std::vector<float>& logits : hard_logits())
        act(*spec, *spec->make(knobs, selftest_text(), kIds), logits);
    }
  }
}

const std::vector<TokenId> kPrompt = {0, 1, 2, 17, 17}, kGenerated = {2, 2, 0};
const History kHistory{kPrompt, kGenerated};

TEST(EverySampler, KeepsOneWhichIsFinite) {
  for_every_setting([](const SamplerSpec& spec, Sampler& sampler, const std::vector<float>& logits) {
    Candidates candidates;
    candidates.assign(logits);
    sampler.apply(candidates, kHistory, {});
    ASSERT_TRUE(bans(spec) || candidates.size() >= 1);
    for (const Candidate& c : candidates.all()) ASSERT_TRUE(std::isfinite(c.logit)) << c.id;
  });
}

TEST(EverySampler, OnlyRemovesOrReweights) {
  for_every_setting([](const SamplerSpec&, Sampler& sampler, const std::vector<float>& logits) {
    Candidates candidates;
    candidates.assign(logits);
    std::set<TokenId> before;
    for (const Candidate& c : candidates.all()) before.insert(c.id);
    sampler.apply(candidates, kHistory, {});
    TokenId last = -1;
    for (const Candidate& c : candidates.all()) {
      ASSERT_EQ(before.count(c.id), 1u);
      ASSERT_GT(c.id, last) << "order of id";
      last = c.id;
    }
  });
}

TEST(EverySampler, GivesTheSameWhenAskedAgain) {
  for_every_setting([](const SamplerSpec&, Sampler& sampler, const std::vector<float>& logits) {
    Candidates first, other, second;
    first.assign(logits);
    sampler.apply(first, kHistory, {});
    other.assign(some_logits(77));
    sampler.apply(other, {kGenerated, kPrompt}, {});
    second.assign(logits);
    sampler.apply(second, kHistory, {});
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      ASSERT_EQ(first.all()[i].id, second.all()[i].id);
      ASSERT_EQ(first.all()[i].logit, second.all()[i].logit);
    }
  });
}

TEST(EverySampler, PassesOverIdsThatDoNotExist) {
  const std::vector<TokenId> wild = {-1, 300, 2147483647, -2147483647 - 1, 299};
  for_every_setting([&](const SamplerSpec& spec, Sampler& sampler, const std::vector<float>& logits) {
    Candidates candidates;
    candidates.assign(logits);
    sampler.apply(candidates, {wild, wild}, {});
    ASSERT_TRUE(bans(spec) || candidates.size() >= 1);
  });
}

TEST(EverySampler, IsOffAtItsDefaults) {
  const Knobs knobs(request_knobs());
  for (const SamplerSpec* spec : samplers()) EXPECT_FALSE(spec->is_on(knobs)) << spec->name;
}

TEST(EverySampler, IsNamedAsItsFile) {
  std::string last;
  for (const SamplerSpec* spec : samplers()) {
    EXPECT_GT(std::string(spec->name), last);
    last = spec->name;
    EXPECT_FALSE(spec->knobs.empty());
  }
}

// BR-023
TEST(LogitBias, AddsBansAndForces) {
  EXPECT_NEAR(left(R"({"logit_bias": {"1": 1}})", {0, 0}).at(1), .7310585786, 1e-7);
  const std::vector<float> logits = some_logits(500);
  const TokenId best = draw_many(R"({"temperature": 0})", logits, 1)[0];
  const std::string ban = R"({"temperature": 1000, "logit_bias": {")" + std::to_string(best) + R"(": -100}})";
  EXPECT_EQ(ids_left(ban, logits).count(best), 0u);
  for (const std::string force : {R"({"logit_bias": {"123": 100}})", R"({"logit_bias": [[123, 100]]})"}) {
    for (const TokenId id : draw_many(force, logits, 2000)) ASSERT_EQ(id, 123);
  }
}

// BR-014
TEST(RepetitionPenalty, NeverRaisesWhatWasSaid) {
  const std::vector<float> logits = {2, -2, 0, 1, -1};
  const std::vector<TokenId> said = {0, 1, 2};
  const std::map<TokenId, double> before = left("{}", logits);
  const std::map<TokenId, double> after = left(R"({"repetition_penalty": 1.5})", logits, {said, {}});
  // 2 / 1.5, −2 × 1.5, 0.
  EXPECT_NEAR(after.at(0) / after.at(3), std::exp(2 / 1.5 - 1), 1e-6);
  EXPECT_NEAR(after.at(1) / after.at(3), std::exp(-3. - 1), 1e-6);
  EXPECT_NEAR(after.at(2) / after.at(3), std::exp(-1.), 1e-6);
  for (const TokenId id : {0, 1}) EXPECT_LT(after.at(id) / after.at(3), before.at(id) / before.at(3));
}

TEST(RepetitionPenalty, CountsATokenOnceFromPromptAndOutput) {
  const std::vector<TokenId> once = {0}, often = {0, 0, 0, 0};
  const std::string settings = R"({"repetition_penalty": 1.5})";
  const auto expected = left(settings, {2, 1}, {once, {}});
  EXPECT_EQ(left(settings, {2, 1}, {often, {}}), expected);
  EXPECT_EQ(left(settings, {2, 1}, {{}, once}), expected);
  EXPECT_EQ(left(settings, {2, 1}, {often, often}), expected);
  EXPECT_NE(left(settings, {2, 1}), expected);
}

// BR-017
TEST(RepetitionPenalty, LooksAsFarBackAsItsWindow) {
  std::vector<TokenId> prompt(100, 1);
  prompt[10] = 0;
  const std::vector<float> logits = {2, -50, 2};
  const auto penalised = [&](int window, const std::vector<TokenId>& generated) {
    const auto p = left(R"({"repetition_penalty": 1.5, "repetition_window": )" + std::to_string(window) + "}",
                        logits, {prompt, generated});
    return p.at(0) < p.at(2);
  };
  EXPECT_FALSE(penalised(64, {}));
  EXPECT_TRUE(penalised(-1, {}));
  EXPECT_FALSE(penalised(0, {}));
  EXPECT_TRUE(penalised(90, {}));
  EXPECT_FALSE(penalised(89, {}));
  EXPECT_TRUE(penalised(2147483647, {}));
  // The output is the newer part of the window.
  EXPECT_FALSE(penalised(90, {1}));
  EXPECT_TRUE(penalised(91, {1}));
  EXPECT_TRUE(penalised(1, {0}));
  EXPECT_FALSE(penalised(1, {0, 1}));
}

TEST(FrequencyPresence, SubtractFromGeneratedTokensOnly) {
  const std::vector<TokenId> prompt = {0, 0, 1}, generated = {1, 2, 2, 2};
  const auto p =
      left(R"({"frequency_penalty": 0.5, "presence_penalty": 0.25})", {0, 0, 0}, {prompt, generated});
  EXPECT_NEAR(p.at(1) / p.at(0), std::exp(-0.75), 1e-6);
  EXPECT_NEAR(p.at(2) / p.at(0), std::exp(-1.75), 1e-6);
}

TEST(TopK, BreaksTiesByTheLowestId) {
  EXPECT_EQ(ids_left(R"({"top_k": 2})", {1, 5, 5, 5}), (std::set<TokenId>{1, 2}));
  EXPECT_EQ(ids_left(R"({"top_k": 4})", {1, 5, 5, 5}).size(), 4u);
  EXPECT_EQ(ids_left(R"({"top_k": 100})", {1, 5, 5, 5}).size(), 4u);
}

TEST(TopP, KeepsTheShortestPrefix) {
  const std::vector<float> equal(8, 1.5f);
  EXPECT_EQ(ids_left(R"({"top_p": 0.5})", equal),
            (std::set<TokenId>{0, 1, 2, 3}));  // exactly the mass asked for
  EXPECT_EQ(ids_left(R"({"top_p": 0.5000001})", equal).size(), 5u);
  EXPECT_EQ(ids_left(R"({"top_p": 0.125})", equal), (std::set<TokenId>{0}));
  EXPECT_EQ(ids_left(R"({"top_p": 1e-300})", equal), (std::set<TokenId>{0}));
  EXPECT_EQ(ids_left(R"({"top_p": 0.9})", {5, 0, 5}), (std::set<TokenId>{0, 2}));
}

TEST(TopP, AMassReachedExactlyIsEnoughAlsoBetweenLogitsFarApart) {
  int n_exact = 0;
  for (float distance = 0.5f; distance < 20; distance += 0.25f) {
    Knobs knobs(request_knobs());
    const double total = 1 + exp_below_zero(-static_cast<double>(distance)), p = 1 / total;
    n_exact += p * total == 1 ? 1 : 0;
    knobs.set("top_p", p, "test");
    Chain chain(knobs, 2);
    EXPECT_EQ(chain.apply(std::vector<float>{-distance, 0}, {}).size(), p * total <= 1 ? 1u : 2u) << distance;
  }
  EXPECT_GT(n_exact, 10);
}

TEST(TopP, EqualsAFullSortAtAnyScaleOfTheLogits) {
  for (const double span : {1e-3, 0.1, 3.0, 30.0, 300.0}) {
    for (const char* p : {"0.01", "0.5", "0.9", "0.999", "0.9999999"}) {
      const std::vector<float> logits = some_logits(3000, span, 9);
      const std::string settings = std::string(R"({"top_p": )") + p + "}";
      const std::vector<double> exact = textbook_distribution(logits, {}, knobs_of(settings));
      std::set<TokenId> expected;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        if (exact[i] > 0) expected.insert(static_cast<TokenId>(i));
      }
      EXPECT_EQ(ids_left(settings, logits), expected) << span << ' ' << p;
    }
  }
}

TEST(MinP, ComparesWithTheBest) {
  const std::vector<float> logits = {0, static_cast<float>(std::log(0.5)), static_cast<float>(std::log(0.09)),
                                     -3};
  EXPECT_EQ(ids_left(R"({"min_p": 0.1})", logits), (std::set<TokenId>{0, 1}));
  EXPECT_EQ(ids_left(R"({"min_p": 0.08})", logits), (std::set<TokenId>{0, 1, 2}));
  EXPECT_EQ(ids_left(R"({"min_p": 1})", {2, 2, 1}), (std::set<TokenId>{0, 1}));
}

// The inputs of scripts/make_sampling_golden.py.
class GoldenInputs {
 public:
  explicit GoldenInputs(uint32_t seed) : state_(seed) {}
  uint32_t next() { return (state_ = state_ * 1664525u + 1013904223u) >> 16; }
  float logit() {
    const uint32_t sum = next() + next() + next() + next();
    return static_cast<float>((static_cast<double>(sum) - 131072) / 8192);
  }

 private:
  uint32_t state_;
};

TEST(EverySampler, AgreesWithNumpy) {
  std::ifstream file(KELDA_SOURCE_DIR "/tests/golden/sampling_chain.json");
  ASSERT_TRUE(file.is_open());
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 27u);
  for (const nlohmann::json& test : golden["cases"]) {
    GoldenInputs inputs(test["seed"].get<uint32_t>());
    const auto vocab = test["vocab"].get<std::size_t>();
    std::vector<float> logits(vocab);
    for (float& x : logits) x = inputs.logit();
    std::vector<TokenId> text(test.value("history", std::size_t{0}));
    for (TokenId& id : text) id = static_cast<TokenId>(inputs.next() % vocab);
    const std::span<const TokenId> all(text);
    const History history{all.first(text.size() / 2), all.subspan(text.size() / 2)};

    const std::map<TokenId, double> p = left(test["settings"].dump(), logits, history);
    const auto ids = test["ids"].get<std::vector<TokenId>>();
    const auto expected = test["probabilities"].get<std::vector<double>>();
    SCOPED_TRACE(test["settings"].dump());
    ASSERT_EQ(p.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(p.count(ids[i]), 1u) << ids[i];
      // Logits are floats between the stages: 2^-24 of up to 30, which the exponential turns into a relative
      // error.
      ASSERT_NEAR(p.at(ids[i]), expected[i], 5e-6 * expected[i]) << ids[i];
    }
  }
}

}  // namespace
}  // namespace kelda::sampling
