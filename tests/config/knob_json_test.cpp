#include "config/knob_json.h"

#include <cmath>

#include "config/knob_rows.h"

namespace kelda {
namespace {

// What one JSON value does to one knob.
enum Outcome { kSet, kUnchanged, kRefused };

Outcome outcome(std::string_view name, const std::string& value) {
  Knobs knobs(kRows);
  try {
    knobs.set_from_json("{\"" + std::string(name) + "\": " + value + "}", "request");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    // Text that is not JSON at all is named by its place; everything else by the field.
    EXPECT_TRUE(mentions(e.what(), name)) << e.what();
    EXPECT_FALSE(knobs.is_set(name));
    return kRefused;
  }
  return knobs.is_set(name) ? kSet : kUnchanged;
}

TEST(SettingsJson, HasEveryKnobItsValueAndWhereItCameFrom) {
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"top_p": 0.1, "stop": ["a", "b"], "seed": 18446744073709551615})", "request");
  const nlohmann::json settings = settings_json(knobs);
  EXPECT_EQ(settings.size(), knobs.known().size());
  EXPECT_EQ(settings["top_p"].dump(), R"({"from":"request","value":0.1})");
  EXPECT_EQ(settings["stop"]["value"].dump(), R"(["a","b"])");
  EXPECT_EQ(settings["seed"]["value"].get<uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(settings["temperature"]["from"], "default");
  EXPECT_TRUE(settings_json(Knobs(kRows))["seed"]["value"].is_null());
  // What is written can be read again.
  Knobs again(kRows);
  for (const auto& [name, setting] : settings.items())
    set_from_json_value(again, name, setting["value"], setting["from"].get<std::string>());
  EXPECT_EQ(settings_json(again), settings);
}

TEST(KnobFromJson, BordersOfEveryType) {
  const std::string values[] = {
      "null",  "-1",  "0",        "1",       "2147483647", "2147483648", "9223372036854775808",
      "1e400", "NaN", "Infinity", "\"0.7\"", "[]",         "[1]",        "true",
      "{}",    "1.5"};
  struct Expected {
    std::string_view name;
    std::string outcomes;  // one letter per value: s set, . unchanged, x refused
  };
  //                      null -1 0 1 max max+1 2^63 1e400 NaN Inf string [] [1] true {} 1.5
  const Expected table[] = {{"top_p", ".xxsxxxxxxxxxxxx"},      {"temperature", ".xsssssxxxxxxxxs"},
                            {"top_k", ".xsssxxxxxxxxxxx"},      {"window", ".ssssxxxxxxxxxxx"},
                            {"ignore_eos", ".xxxxxxxxxxxxsxx"}, {"seed", ".ssssssxxxxxxxxx"},
                            {"label", ".xxxxxxxxxsxxxxx"},      {"stop", ".xxxxxxxxxssxxxx"},
                            {"logit_bias", ".xxxxxxxxxxsxxsx"}};
  for (const Expected& row : table) {
    ASSERT_EQ(row.outcomes.size(), std::size(values));
    for (std::size_t i = 0; i < std::size(values); ++i) {
      const Outcome expected = row.outcomes[i] == 's' ? kSet : row.outcomes[i] == '.' ? kUnchanged : kRefused;
      EXPECT_EQ(outcome(row.name, values[i]), expected) << row.name << " = " << values[i];
    }
  }
}

TEST(KnobFromJson, NumbersKeepTheirValue) {
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"temperature": 1, "top_p": 0.9, "top_k": 5.0, "seed": 18446744073709551615})",
                      "request");
  EXPECT_EQ(knobs.number("temperature"), 1.0);
  EXPECT_EQ(knobs.number("top_p"), 0.9);
  EXPECT_EQ(knobs.integer("top_k"), 5);
  EXPECT_EQ(knobs.seed("seed").value, 18446744073709551615u);
  knobs.set_from_json(R"({"seed": -1})", "request");
  EXPECT_FALSE(knobs.seed("seed").value.has_value());
  for (const std::string bad : {"-2", "18446744073709551616", "1e30", "0.5"})
    EXPECT_EQ(outcome("seed", bad), kRefused);
}

TEST(KnobFromJson, NamesTheWrongType) {
  Knobs knobs(kRows);
  const auto message = [&](const std::string& json) {
    return usage_error([&] { knobs.set_from_json(json, "request"); });
  };
  EXPECT_EQ(message(R"({"top_p": "0.7"})"), "top_p must be a number in (0, 1]; got the string \"0.7\"");
  EXPECT_EQ(message(R"({"top_k": [1]})"), "top_k must be an integer in [0, 2147483647]; got an array");
  EXPECT_EQ(message(R"({"top_k": 1.5})"), "top_k must be an integer in [0, 2147483647]; got 1.5");
  EXPECT_EQ(message(R"({"ignore_eos": 1})"), "ignore_eos must be true or false; got 1");
  EXPECT_TRUE(mentions(message(R"({"stop": ["a", 5]})"), "got 5 in the list"));
  EXPECT_TRUE(mentions(message(R"({"temperature": 1e400})"), "field \"temperature\" holds a number beyond"));
}

// As on the command line: what is written as something else than 0 does not become 0.
TEST(KnobFromJson, NumbersTooSmallForADoubleAreRefused) {
  const std::string long_one = "0." + std::string(400, '0') + "1";
  for (const std::string& tiny :
       std::vector<std::string>{"1e-400", "-1e-400", "2e-324", "0.001e-397", "1E-99999", long_one}) {
    Knobs knobs(kRows);
    EXPECT_EQ(usage_error([&] { knobs.set_from_json("{\"temperature\": " + tiny + "}", "request"); }),
              "field \"temperature\" holds a number too small for a 64-bit float")
        << tiny;
    EXPECT_FALSE(knobs.is_set("temperature"));
    EXPECT_EQ(outcome("top_k", tiny), kRefused) << tiny;
    EXPECT_EQ(usage_error([&] { knobs.set_from_json("{\"logit_bias\": {\"1\": " + tiny + "}}", "request"); }),
              "field \"1\" holds a number too small for a 64-bit float")
        << tiny;
    EXPECT_EQ(outcome("logit_bias", "[[1, " + tiny + "]]"), kRefused) << tiny;
    EXPECT_FALSE(usage_error([&] { knobs.set_from_text("temperature", tiny, "flag"); }).empty()) << tiny;
  }
  for (const std::string zero :
       {"0", "-0", "0.0", "-0.0", "0e5", "0E-999", "0.000e-400", "5e-324", "1e-310"}) {
    EXPECT_EQ(outcome("temperature", zero), kSet) << zero;
  }
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"temperature": 5e-324})", "request");
  EXPECT_EQ(knobs.number("temperature"), 5e-324);
}

TEST(KnobFromJson, AStopMayBeOneTextOrAList) {
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"stop": "END"})", "request");
  EXPECT_EQ(knobs.texts("stop"), (std::vector<std::string>{"END"}));
  knobs.set_from_json(R"({"stop": ["a", "\u00e9\ud83d\ude00"]})", "request");
  EXPECT_EQ(knobs.texts("stop"), (std::vector<std::string>{"a", "é😀"}));
  for (const std::string bad :
       {R"([""])", R"("")", R"(["a","b","c","d"])", R"(["\ud83d"])", R"("123456789")"}) {
    EXPECT_EQ(outcome("stop", bad), kRefused) << bad;
  }
}

TEST(KnobFromJson, BiasesAreAMapOrPairs) {
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"logit_bias": {"15": -100, "7": 2.5}})", "request");
  EXPECT_EQ(knobs.token_bias("logit_bias"), (TokenBias{{7, 2.5}, {15, -100}}));
  knobs.set_from_json(R"({"logit_bias": [[15, -100], [7, 2.5]]})", "request");
  EXPECT_EQ(knobs.token_bias("logit_bias"), (TokenBias{{7, 2.5}, {15, -100}}));
  for (const std::string bad : {R"({"a": 1})",
                                R"({"": 1})",
                                R"({"-1": 1})",
                                R"({"2147483648": 1})",
                                R"({"99999999999999999999": 1})",
                                R"({"1.0": 1})",
                                R"({"+1": 1})",
                                R"({"1": "1"})",
                                R"({"1": null})",
                                R"({"1": false})",
                                R"({"1": 100.5})",
                                R"({"1": 1, "01": 2})",
                                R"([[1, 1], [1, 2]])",
                                R"([[1]])",
                                R"([[1, 2, 3]])",
                                R"([1, 2])",
                                R"([["1", 2]])",
                                R"([[-1, 2]])",
                                R"([[1.5, 2]])",
                                R"([[1, 1e308]])",
                                R"([[1,1],[2,1],[3,1],[4,1]])"}) {
    EXPECT_EQ(outcome("logit_bias", bad), kRefused) << bad;
  }
}

TEST(KnobFromJson, UnknownAndDuplicateFieldsAreRefused) {
  Knobs knobs(kRows);
  const auto message = [&](const std::string& json) {
    return usage_error([&] { knobs.set_from_json(json, "request"); });
  };
  EXPECT_EQ(message(R"({"topk": 3})"), "unknown field \"topk\"; did you mean \"top_k\"?");
  EXPECT_EQ(message(R"({"topk": null})"), "unknown field \"topk\"; did you mean \"top_k\"?");
  EXPECT_EQ(message(R"({"top_k": 3, "top_p": 1, "top_k": 4})"), "field \"top_k\" is given twice");
  EXPECT_EQ(message(R"({"logit_bias": {"1": 2, "1": 3}})"), "field \"1\" is given twice");
  EXPECT_LT(message("{\"" + std::string(100000, 'k') + "\": 3}").size(), 300u) << "a long name is cut";
}

TEST(KnobFromJson, AllFieldsOrNone) {
  Knobs knobs(kRows);
  usage_error([&] { knobs.set_from_json(R"({"temperature": 0.5, "top_p": 7})", "request"); });
  EXPECT_FALSE(knobs.is_set("temperature"));
}

TEST(KnobFromJson, MalformedTextIsNamedByItsPlace) {
  Knobs knobs(kRows);
  EXPECT_EQ(usage_error([&] { knobs.set_from_json(R"({"temperature": NaN})", "request"); }),
            "not valid JSON at byte 17, after the field \"temperature\"");
  const std::string bad[] = {"",
                             "{",
                             "[]",
                             "5",
                             "null",
                             "\"a\"",
                             "{\"top_k\": 1,}",
                             "{top_k: 1}",
                             "{} {}",
                             "{'a': 1}",
                             "\xEF\xBB",
                             "nul",
                             "{\"top_k\": 01}",
                             "{\"top_k\": 0x1}",
                             "{\"label\": \"\xff\"}",
                             "{\"top_k\": 1 // no\n}"};
  for (const std::string& text : bad) {
    EXPECT_FALSE(usage_error([&] { knobs.set_from_json(text, "request"); }).empty()) << text;
  }
}

TEST(ParseJsonObject, LimitsDepth) {
  const auto nested = [](int levels) {  // the object is one of them
    const auto n = static_cast<std::size_t>(levels - 1);
    return "{\"a\":" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_NO_THROW(parse_json_object(nested(kMaxJsonDepth)));
  for (const int levels : {kMaxJsonDepth + 1, 3000, 1000000}) {
    EXPECT_EQ(usage_error([&] { parse_json_object(nested(levels)); }),
              "JSON is nested deeper than 64 levels");
  }
  const std::string open(1000000, '[');
  EXPECT_EQ(usage_error([&] { parse_json_object(open); }), "JSON is nested deeper than 64 levels");
}

TEST(ParseJsonObject, EachObjectHasItsOwnKeys) {
  EXPECT_NO_THROW(parse_json_object(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})"));
  EXPECT_EQ(usage_error([] { parse_json_object(R"({"b": {"a": 1}, "b": 2})"); }),
            "field \"b\" is given twice");
}

TEST(KnobFromJson, IdsAreAListOrOne) {
  Knobs knobs(kRows);
  knobs.set_from_json(R"({"stop_token_ids": [5, 0, 2147483647]})", "request");
  EXPECT_EQ(knobs.token_ids("stop_token_ids"), (TokenIds{5, 0, 2147483647}));
  knobs.set_from_json(R"({"stop_token_ids": 7})", "request");
  EXPECT_EQ(knobs.token_ids("stop_token_ids"), TokenIds{7});
  for (const std::string bad : {"-1", "[-1]", "[1.5]", "[\"1\"]", "\"1\"", "{}", "[[1]]", "true",
                                "[2147483648]", "[1,2,3,4]", "[1,1]", "[null]"}) {
    EXPECT_TRUE(
        mentions(usage_error([&] { knobs.set_from_json("{\"stop_token_ids\": " + bad + "}", "request"); }),
                 "stop_token_ids must be a list"))
        << bad;
  }
}

}  // namespace
}  // namespace kelda
