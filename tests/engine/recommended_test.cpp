#include "engine/recommended.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

Recommended of_json(std::string_view json) {
  auto config = models::ConfigJson::parse(json);
  return recommended_by(config);
}

TEST(Recommended, OfAGenerationConfig) {
  const Recommended r = of_json(R"({"do_sample": true, "temperature": 0.7, "top_p": 0.8, "top_k": 20,
                                    "repetition_penalty": 1.05, "eos_token_id": [1, 2], "max_length": 20})");
  EXPECT_EQ(r.values, (Values{{"temperature", 0.7}, {"top_k", 20}, {"top_p", 0.8}}));
  EXPECT_EQ(r.source, "generation_config.json");
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"repetition_penalty 1.05", "max_length"}));
}

TEST(Recommended, WithoutSamplingIsGreedy) {
  EXPECT_EQ(of_json(R"({"do_sample": false, "temperature": 0.7})").values, (Values{{"temperature", 0}}));
  EXPECT_EQ(of_json(R"({"eos_token_id": 2, "temperature": null})").values, Values{});
}

TEST(Recommended, WithoutSamplingPenaltiesAreToldAllTheSame) {
  const Recommended r = of_json(R"({"do_sample": false, "repetition_penalty": 1.1, "top_p": 0.8})");
  EXPECT_EQ(r.values, (Values{{"temperature", 0}}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"repetition_penalty 1.1"});
}

TEST(Recommended, WhatNeverComesFromAFileIsNamedUnlessItIsOff) {
  const Recommended r = of_json(R"({"temperature": 1, "typical_p": 0.9, "no_repeat_ngram_size": 0})");
  EXPECT_EQ(r.left_out, std::vector<std::string>{"typical_p 0.9"});
}

TEST(Recommended, OtherWaysOfGeneratingAreNamed) {
  const Recommended r = of_json(R"({"num_beams": 4, "bad_words_ids": [[1]], "suppress_tokens": null,
                                    "max_new_tokens": 9})");
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"num_beams 4", "bad_words_ids", "max_new_tokens"}));
}

TEST(Recommended, WhatNobodyKnowsIsNamedToo) {
  const Recommended r =
      of_json(R"({"guidance_scale": 3, "foo": {"a": 1}, "transformers_version": "5", "bar": null})");
  EXPECT_EQ(r.left_out, (std::vector<std::string>{"foo", "guidance_scale"}));
  const Recommended odd = of_json(R"({"\u001b]0;x": 1, "y": 2})");
  EXPECT_EQ(odd.left_out, (std::vector<std::string>{R"("\x1B]0;x")", "y"}));
  std::string many = R"({"a": 1)";
  for (int i = 0; i < 99; ++i) many += fmt::format(R"(, "k{:02}": 1)", i);
  EXPECT_EQ(of_json(many + "}").left_out.size(), 17u);
  EXPECT_EQ(of_json(many + "}").left_out.back(), "84 others");
  Metadata m;
  m.add("general.sampling.foo", 1.0f);
  m.add("general.sampling.sequence", std::string("k;p"));
  EXPECT_EQ(recommended_by(m).left_out, (std::vector<std::string>{"foo", "sequence"}));
  m.add("general.sampling.temp", std::string("hot"));
  try {
    recommended_by(m);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string_view(e.what()).find("general.sampling.temp"), std::string_view::npos) << e.what();
    EXPECT_NE(std::string_view(e.what()).find("f32 or f64 is required"), std::string_view::npos) << e.what();
  }
}

TEST(Recommended, ValuesOutOfRangeAreRefusedByKey) {
  for (const char* json : {R"({"temperature": -1})", R"({"top_p": 1.5})", R"({"top_k": "a"})"}) {
    EXPECT_THROW(of_json(json), Error) << json;
  }
  EXPECT_THROW(of_json(R"({"top_k": 0.5})"), Error);
  const Recommended r = of_json(R"({"top_p": 0, "top_k": 5})");
  EXPECT_EQ(r.values, (Values{{"top_k", 5}}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"top_p 0"});
}

TEST(Recommended, OfAGgufFile) {
  Metadata m;
  EXPECT_TRUE(recommended_by(m).values.empty());
  m.add("general.sampling.temp", 0.5f);
  m.add("general.sampling.top_k", int32_t{64});
  m.add("general.sampling.penalty_last_n", int32_t{-1});
  m.add("general.sampling.xtc_probability", 0.5f);
  const Recommended r = recommended_by(m);
  EXPECT_EQ(r.values, (Values{{"temperature", 0.5}, {"top_k", 64}}));
  EXPECT_EQ(r.left_out, std::vector<std::string>{"xtc_probability 0.5"});
  m.set("general.sampling.temp", -1.0f);
  EXPECT_THROW(recommended_by(m), Error);
}

}  // namespace
}  // namespace kelda
