#include "sampling/sampler_order.h"

#include <fmt/format.h>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

std::vector<std::string> names_of(const SamplerList& samplers) {
  std::vector<std::string> out;
  for (const SamplerSpec* spec : samplers) out.emplace_back(spec->name);
  return out;
}

using Names = std::vector<std::string>;

TEST(SamplerOrder, TheDocumentedOne) {
  EXPECT_EQ(names_of(samplers_in_order()),
            (Names{"logit_bias", "bad_words", "bad_strings", "repetition_penalty", "frequency_presence",
                   "dry", "no_repeat_ngram", "temperature", "top_k", "typical_p", "top_p", "min_p",
                   "top_n_sigma", "xtc", "mirostat"}));
  EXPECT_EQ(ordered_as_asked(samplers_in_order(), knobs_of("{}")), samplers_in_order());
  EXPECT_EQ(ordered_as_asked(samplers_in_order(), knobs_of(R"({"sampler_order": []})")), samplers_in_order());
}

TEST(SamplerOrder, IsTheRequestsWhereItGivesOne) {
  const Knobs knobs = knobs_of(R"({"sampler_order": ["top_p", "temperature", "logit_bias"]})");
  EXPECT_EQ(names_of(ordered_as_asked(samplers_in_order(), knobs)),
            (Names{"top_p", "temperature", "logit_bias"}));
}

TEST(SamplerOrder, AnUnknownNameIsAnErrorWithAGuess) {
  const std::string message =
      error_of(ErrorCode::kUsage, [] { (void)knobs_of(R"({"sampler_order": ["top_k", "temprature"]})"); });
  EXPECT_NE(message.find("sampler_order must be a list of some of logit_bias, "), std::string::npos)
      << message;
  EXPECT_NE(message.find("got \"temprature\"; did you mean \"temperature\"?"), std::string::npos) << message;
}

TEST(SamplerOrder, ANameTwiceIsAnError) {
  const std::string message = error_of(
      ErrorCode::kUsage, [] { (void)knobs_of(R"({"sampler_order": ["top_k", "top_p", "top_k"]})"); });
  EXPECT_NE(message.find("got \"top_k\" twice"), std::string::npos) << message;
}

TEST(SamplerOrder, AFlagNamesThemWithCommas) {
  Knobs knobs(request_knobs());
  knobs.set_from_text("sampler_order", "min_p,top_k", "flag");
  knobs.set_from_text("sampler_order", "temperature", "flag");
  EXPECT_EQ(knobs.texts("sampler_order"), (Names{"min_p", "top_k", "temperature"}));
  for (const char* wrong : {"", "top_k,", ",top_k", "top_k, top_p", "top_k;top_p", "temperature"}) {
    error_of(ErrorCode::kUsage, [&] { knobs.set_from_text("sampler_order", wrong, "flag"); });
  }
  EXPECT_EQ(knobs.texts("sampler_order").size(), 3u);
}

TEST(SamplerOrder, WhatLearnsFromTheDrawIsTheLast) {
  const auto asked = [](const char* order) {
    (void)ordered_as_asked(samplers_in_order(), knobs_of(fmt::format(R"({{"sampler_order": {}}})", order)));
  };
  EXPECT_NO_THROW(asked(R"(["temperature", "mirostat"])"));
  EXPECT_EQ(error_of(ErrorCode::kUsage, [&] { asked(R"(["mirostat", "temperature"])"); }),
            "sampler_order has temperature after mirostat, which must be the last: it learns from the draw");
}

TEST(SamplerOrder, ReorderingChangesTheOutcome) {
  const std::vector<float> logits = {3, 2, 1, 0};
  const std::string knobs = R"("temperature": 2, "top_p": 0.9)";
  EXPECT_EQ(
      ids_left(fmt::format(R"({{{}, "sampler_order": ["temperature", "top_p"]}})", knobs), logits).size(),
      4u);
  EXPECT_EQ(
      ids_left(fmt::format(R"({{{}, "sampler_order": ["top_p", "temperature"]}})", knobs), logits).size(),
      3u);
  EXPECT_EQ(left(fmt::format(R"({{{}, "sampler_order": ["temperature"]}})", knobs), logits),
            left(R"({"temperature": 2})", logits));
}

TEST(SamplerOrder, TemperatureZeroIsGreedyInAnyOrder) {
  const std::vector<float> logits = some_logits(300);
  const TokenId best = draw_many(R"({"temperature": 0})", logits, 1)[0];
  for (const char* order :
       {R"(["top_k"])", R"(["xtc", "typical_p", "temperature"])", R"(["temperature", "top_k"])"}) {
    const std::string settings = fmt::format(
        R"({{"temperature": 0, "xtc_probability": 1, "xtc_threshold": 0.001, "typical_p": 0.2, "sampler_order": {}}})",
        order);
    for (const TokenId id : draw_many(settings, logits, 5)) EXPECT_EQ(id, best) << settings;
  }
}

TEST(SamplerOrder, MirostatTakesThePlaceOfWhatCuts) {
  const Knobs knobs =
      knobs_of(R"({"mirostat": 2, "top_k": 3, "top_p": 0.5, "temperature": 0.7, "dry_multiplier": 1})");
  EXPECT_EQ(names_of(acting(samplers_in_order(), knobs)), (Names{"dry", "temperature", "mirostat"}));
  const Knobs without = knobs_of(R"({"mirostat": 2, "top_k": 3, "sampler_order": ["top_k"]})");
  EXPECT_EQ(names_of(acting(samplers_in_order(), without)), (Names{"top_k"}));
}

// The chain may take top-k before the temperature, which leaves the order of the tokens as it is.
TEST(SamplerOrder, TemperatureAndTopKMayChangePlaces) {
  const std::vector<float> logits = some_logits(3000);
  const std::string knobs = R"("temperature": 1.7, "top_k": 25)";
  EXPECT_EQ(left(fmt::format(R"({{{}, "sampler_order": ["temperature", "top_k"]}})", knobs), logits),
            left(fmt::format(R"({{{}, "sampler_order": ["top_k", "temperature"]}})", knobs), logits));
  const std::string dynamic = R"("dynatemp_range": 0.9, "top_k": 25)";
  EXPECT_NE(left(fmt::format(R"({{{}, "sampler_order": ["temperature", "top_k"]}})", dynamic), logits),
            left(fmt::format(R"({{{}, "sampler_order": ["top_k", "temperature"]}})", dynamic), logits));
}

}  // namespace
}  // namespace kelda::sampling
