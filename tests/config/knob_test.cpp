#include "config/knob.h"

#include <cmath>
#include <limits>

#include "config/knob_rows.h"

namespace kelda {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Knobs, StartAtTheDefaultsOfTheirRows) {
  const Knobs knobs(kRows);
  EXPECT_EQ(knobs.number("top_p"), 1);
  EXPECT_EQ(knobs.integer("top_k"), 0);
  EXPECT_EQ(knobs.integer("window"), -1);
  EXPECT_FALSE(knobs.boolean("ignore_eos"));
  EXPECT_FALSE(knobs.seed("seed").value.has_value());
  EXPECT_EQ(knobs.text("label"), "");
  EXPECT_TRUE(knobs.texts("stop").empty());
  EXPECT_TRUE(knobs.token_bias("logit_bias").empty());
  for (const Knob* row : kRows) {
    EXPECT_FALSE(knobs.is_set(row->name)) << row->name;
    EXPECT_EQ(knobs.source(row->name), "default");
  }
}

TEST(Knobs, RememberWhereAValueCameFrom) {
  Knobs knobs(kRows);
  knobs.set("temperature", 0.5, "generation_config");
  EXPECT_EQ(knobs.source("temperature"), "generation_config");
  knobs.set("temperature", 0.7, "flag");
  EXPECT_EQ(knobs.source("temperature"), "flag");
  EXPECT_EQ(knobs.number("temperature"), 0.7);
  EXPECT_TRUE(knobs.is_set("temperature"));
}

TEST(Knobs, TakeTheBordersOfARangeAndNothingBeyond) {
  Knobs knobs(kRows);
  const double after_one = std::nextafter(1.0, 2.0);
  for (const double good : {1.0, 0.5, std::numeric_limits<double>::denorm_min()})
    knobs.set("top_p", good, "test");
  for (const double bad : {0.0, -0.0, -1.0, after_one, 2.0, kUnbounded, -kUnbounded, kNan}) {
    const std::string message = usage_error([&] { knobs.set("top_p", bad, "test"); });
    EXPECT_TRUE(mentions(message, "top_p must be a number in (0, 1]; got")) << message;
  }
  for (const double good : {0.0, 1000.0, std::numeric_limits<double>::max()})
    knobs.set("temperature", good, "test");
  for (const double bad : {-1e-300, kUnbounded, kNan}) {
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set("temperature", bad, "test"); }), "[0, ∞)"));
  }
  for (const int64_t good : {int64_t{-1}, int64_t{0}, int64_t{2147483647}}) knobs.set("window", good, "test");
  for (const int64_t bad : {int64_t{-2}, int64_t{2147483648}, std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min()}) {
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set("window", bad, "test"); }), "[-1, 2147483647]"));
  }
}

TEST(Knobs, ATextMayHaveADefault) {
  Knob row = kChoiceRow;
  row.def_texts = {"left"};
  const std::vector<const Knob*> rows = {&row};
  Knobs knobs(rows);
  EXPECT_EQ(knobs.text("profile"), "left");
  EXPECT_FALSE(knobs.is_set("profile"));
  EXPECT_EQ(default_text(row), "left");
  knobs.set("profile", std::string("right"), "test");
  EXPECT_EQ(knobs.text("profile"), "right");
  EXPECT_EQ(usage_error([&] { knobs.set("profile", std::string(), "test"); }),
            "profile must be one of left, right; got an empty text");
}

TEST(Knobs, TakeTheirChoicesAlone) {
  Knobs knobs(kRows);
  EXPECT_EQ(knobs.texts("order"), (std::vector<std::string>{"right"}));
  knobs.set("profile", std::string("left"), "test");
  knobs.set("profile", std::string(), "test");
  EXPECT_EQ(usage_error([&] { knobs.set("profile", std::string("lefd"), "test"); }),
            "profile must be one of left, right; got \"lefd\"; did you mean \"left\"?");
  EXPECT_EQ(usage_error([&] { knobs.set("profile", std::string("middle"), "test"); }),
            "profile must be one of left, right; got \"middle\"");
  knobs.set("order", std::vector<std::string>{"right", "left"}, "test");
  knobs.set("order", std::vector<std::string>{}, "test");
  EXPECT_EQ(usage_error([&] {
              knobs.set("order", std::vector<std::string>{"left", "left"}, "test");
            }),
            "order must be a list of some of left, right, each at most once; got \"left\" twice");
}

TEST(Knobs, LimitTextsListsAndBiases) {
  Knobs knobs(kRows);
  using Texts = std::vector<std::string>;
  knobs.set("stop", Texts{"12345678", "b", "c"}, "test");
  EXPECT_TRUE(
      mentions(usage_error([&] { knobs.set("stop", Texts{"123456789"}, "test"); }), "a text of 9 bytes"));
  EXPECT_TRUE(mentions(usage_error([&] { knobs.set("stop", Texts{"a", ""}, "test"); }), "an empty text"));
  EXPECT_TRUE(mentions(usage_error([&] {
                         knobs.set("stop", Texts{"a", "b", "c", "d"}, "test");
                       }),
                       "4 texts"));
  EXPECT_TRUE(
      mentions(usage_error([&] { knobs.set("label", std::string("123456789"), "test"); }), "9 bytes"));
  knobs.set("logit_bias", TokenBias{{0, -100}, {2147483647, 100}}, "test");
  EXPECT_TRUE(mentions(usage_error([&] {
                         knobs.set("logit_bias", TokenBias{{-1, 1}}, "test");
                       }),
                       "the id -1"));
  EXPECT_TRUE(mentions(usage_error([&] {
                         knobs.set("logit_bias", TokenBias{{7, -100.1}}, "test");
                       }),
                       "the bias -100.1 for id 7"));
  const TokenBias four = {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
  EXPECT_TRUE(mentions(usage_error([&] { knobs.set("logit_bias", four, "test"); }), "4 entries"));
}

TEST(Knobs, IdsAreCountedAndEachIsThereOnce) {
  Knobs knobs(kRows);
  knobs.set("stop_token_ids", TokenIds{2147483647, 0, 5}, "test");
  EXPECT_EQ(knobs.token_ids("stop_token_ids"), (TokenIds{2147483647, 0, 5}));
  const auto refused = [&](TokenIds ids) {
    return usage_error([&] { knobs.set("stop_token_ids", ids, "test"); });
  };
  EXPECT_TRUE(mentions(refused({1, 2, 3, 4}), "4 ids"));
  EXPECT_TRUE(mentions(refused({1, -2}), "the id -2"));
  EXPECT_TRUE(mentions(refused({1, 2, 1}), "the id 1 twice"));
}

TEST(Knobs, RefuseValuesOfAnotherType) {
  Knobs knobs(kRows);
  const KnobValue values[] = {
      0.5, true, std::string("x"), std::vector<std::string>{"x"}, TokenBias{{1, 1}}, Seed{5}, TokenIds{1}};
  const std::string_view takers[] = {"top_p",      "ignore_eos", "label",         "stop",
                                     "logit_bias", "seed",       "stop_token_ids"};
  for (std::size_t v = 0; v < std::size(values); ++v) {
    for (std::size_t t = 0; t < std::size(takers); ++t) {
      if (v == t) {
        EXPECT_NO_THROW(knobs.set(takers[t], values[v], "test"));
      } else {
        EXPECT_TRUE(mentions(usage_error([&] { knobs.set(takers[t], values[v], "test"); }), takers[t]));
      }
    }
  }
}

TEST(Knobs, AWholeNumberWillDoForANumberAndForASeed) {
  Knobs knobs(kRows);
  knobs.set("temperature", int64_t{2}, "test");
  EXPECT_EQ(knobs.number("temperature"), 2.0);
  knobs.set("seed", int64_t{0}, "test");
  EXPECT_EQ(knobs.seed("seed").value, 0u);
  knobs.set("seed", int64_t{-1}, "test");
  EXPECT_FALSE(knobs.seed("seed").value.has_value());
  usage_error([&] { knobs.set("seed", int64_t{-2}, "test"); });
  usage_error([&] { knobs.set("top_k", 2.0, "test"); });
}

TEST(Knobs, ARefusedValueChangesNothing) {
  Knobs knobs(kRows);
  knobs.set("top_p", 0.5, "flag");
  usage_error([&] { knobs.set("top_p", 5.0, "request"); });
  EXPECT_EQ(knobs.number("top_p"), 0.5);
  EXPECT_EQ(knobs.source("top_p"), "flag");
}

TEST(Knobs, AnUnknownNameIsAnErrorWithAGuess) {
  Knobs knobs(kRows);
  EXPECT_EQ(usage_error([&] { knobs.set("temprature", 1.0, "test"); }),
            "unknown field \"temprature\"; did you mean \"temperature\"?");
  EXPECT_EQ(usage_error([&] { knobs.set("mirostat", 1.0, "test"); }), "unknown field \"mirostat\"");
}

}  // namespace
}  // namespace kelda
