#include <clocale>
#include <cmath>

#include "config/knob_rows.h"

namespace kelda {
namespace {

TEST(KnobFromText, NumbersAreReadWholeOrRefused) {
  Knobs knobs(kRows);
  knobs.set_from_text("temperature", "0.7", "flag");
  EXPECT_EQ(knobs.number("temperature"), 0.7);
  knobs.set_from_text("temperature", "1e3", "flag");
  EXPECT_EQ(knobs.number("temperature"), 1000);
  knobs.set_from_text("temperature", "-0", "flag");
  EXPECT_FALSE(std::signbit(knobs.number("temperature")));
  for (const std::string_view bad : {"", " 1", "1 ", "+1", "1,5", "0x10", "1e400", "1e-400", "nan", "inf",
                                     "infinity", "-1", "--1", "1.0.0", "1e", "true", "null", "[1]"}) {
    const std::string message = usage_error([&] { knobs.set_from_text("temperature", bad, "flag"); });
    EXPECT_TRUE(mentions(message, "temperature must be a number in [0, ∞); got ")) << message;
  }
}

TEST(KnobFromText, IntegersHaveNoPointAndNoExponent) {
  Knobs knobs(kRows);
  knobs.set_from_text("top_k", "2147483647", "flag");
  EXPECT_EQ(knobs.integer("top_k"), 2147483647);
  for (const std::string_view bad :
       {"1.0", "1e2", "2147483648", "9223372036854775808", "99999999999999999999", "-1", "0x1", "", "1k"}) {
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set_from_text("top_k", bad, "flag"); }),
                         "top_k must be an integer in"));
  }
}

TEST(KnobFromText, SeedsUseAll64Bits) {
  Knobs knobs(kRows);
  knobs.set_from_text("seed", "18446744073709551615", "flag");
  EXPECT_EQ(knobs.seed("seed").value, 18446744073709551615u);
  knobs.set_from_text("seed", "-1", "flag");
  EXPECT_FALSE(knobs.seed("seed").value.has_value());
  for (const std::string_view bad : {"-2", "18446744073709551616", "1.5", "x"}) {
    usage_error([&] { knobs.set_from_text("seed", bad, "flag"); });
  }
}

TEST(KnobFromText, SwitchesAreTrueOrFalse) {
  Knobs knobs(kRows);
  knobs.set_from_text("ignore_eos", "true", "flag");
  EXPECT_TRUE(knobs.boolean("ignore_eos"));
  knobs.set_from_text("ignore_eos", "false", "flag");
  EXPECT_FALSE(knobs.boolean("ignore_eos"));
  for (const std::string_view bad : {"1", "yes", "True", ""}) {
    usage_error([&] { knobs.set_from_text("ignore_eos", bad, "flag"); });
  }
}

TEST(KnobFromText, ListsGrowWithinASourceAndStartAnewWithTheNext) {
  Knobs knobs(kRows);
  knobs.set_from_text("stop", "a", "file");
  knobs.set_from_text("stop", "b", "file");
  EXPECT_EQ(knobs.texts("stop"), (std::vector<std::string>{"a", "b"}));
  knobs.set_from_text("stop", "c", "flag");
  EXPECT_EQ(knobs.texts("stop"), (std::vector<std::string>{"c"}));
  knobs.set_from_text("stop", "d", "flag");
  knobs.set_from_text("stop", "e", "flag");
  usage_error([&] { knobs.set_from_text("stop", "f", "flag"); });
  usage_error([&] { knobs.set_from_text("stop", "", "flag"); });
  EXPECT_TRUE(
      mentions(usage_error([&] { knobs.set_from_text("stop", "\xff", "other"); }), "not valid UTF-8"));
  EXPECT_EQ(knobs.texts("stop").size(), 3u);
}

TEST(KnobFromText, BiasesAreIdEqualsBias) {
  Knobs knobs(kRows);
  knobs.set_from_text("logit_bias", "15=-100,20=5.5", "flag");
  knobs.set_from_text("logit_bias", "0=1", "flag");
  EXPECT_EQ(knobs.token_bias("logit_bias"), (TokenBias{{0, 1}, {15, -100}, {20, 5.5}}));
  for (const std::string_view bad :
       {"", "15", "15=", "=5", "15:5", "a=5", "15=5,", "15=1e400", "15=nan", "15=101", "-1=5", "2147483648=5",
        "1=1,1=2", "1=1,2=1,3=1,4=1", "15 =5", "1.5=2"}) {
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set_from_text("logit_bias", bad, "other"); }), "logit_bias"))
        << bad;
  }
  EXPECT_EQ(knobs.token_bias("logit_bias").size(), 3u);
}

TEST(KnobFromText, TheLocaleHasNoSay) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  bool tried = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "tr_TR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    tried = true;
    Knobs knobs(kRows);
    knobs.set_from_text("temperature", "0.7", "flag");
    EXPECT_EQ(knobs.number("temperature"), 0.7);
    knobs.set_from_json(R"({"temperature": 0.8})", "request");
    EXPECT_EQ(knobs.number("temperature"), 0.8);
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set("top_p", 1.5, "test"); }), "got 1.5"));
  }
  std::setlocale(LC_ALL, before.c_str());
  if (!tried) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(KnobFromText, IdsAreSeparatedByCommasAndAddUp) {
  Knobs knobs(kRows);
  knobs.set_from_text("stop_token_ids", "5,0", "flag");
  knobs.set_from_text("stop_token_ids", "7", "flag");
  EXPECT_EQ(knobs.token_ids("stop_token_ids"), (TokenIds{5, 0, 7}));
  for (const std::string_view bad :
       {"", "1,", ",1", "1, 2", "-1", "x", "1.0", "5", "2147483648", "1,2,3,4"}) {
    EXPECT_TRUE(mentions(usage_error([&] { knobs.set_from_text("stop_token_ids", bad, "flag"); }),
                         "stop_token_ids must be a list of at most 3 token ids"))
        << bad;
  }
  knobs.set_from_text("stop_token_ids", "9", "request");
  EXPECT_EQ(knobs.token_ids("stop_token_ids"), TokenIds{9});
}

}  // namespace
}  // namespace kelda
