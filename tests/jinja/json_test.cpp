#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

Value parsed(std::string_view json) { return parse_json(json, Provenance::kInput); }

TEST(Json, ReadsEveryKindOfValue) {
  const Value v = parsed(
      R"( {"s": "aé\n\u00e9\ud83d\ude00", "i": -5, "f": 1.5e3, "t": true, "n": null, "l": [1, [], {}]} )");
  EXPECT_EQ(v.as_dict().find("s")->str(), "aé\né😀");
  EXPECT_EQ(v.as_dict().find("i")->as_int(), -5);
  EXPECT_EQ(v.as_dict().find("f")->as_double(), 1500.0);
  EXPECT_TRUE(v.as_dict().find("t")->as_bool());
  EXPECT_TRUE(v.as_dict().find("n")->is_none());
  EXPECT_EQ(v.as_dict().find("l")->items().size(), 3u);
  EXPECT_EQ(v.as_dict().find("i")->provenance(), Provenance::kInput);
  EXPECT_EQ(v.as_dict().find("s")->provenance(), Provenance::kInput);
}

TEST(Json, ReadsScalarsAlone) {
  EXPECT_EQ(parsed(" \"x\" ").str(), "x");
  EXPECT_EQ(parsed("12").as_int(), 12);
  EXPECT_TRUE(parsed("null").is_none());
}

TEST(Json, KeepsLargeIntegersAsTheyAre) {
  const Value v = parsed("[18446744073709551616, -9223372036854775808, 123456789012345678901234567890]");
  EXPECT_EQ(dump_json(v), "[18446744073709551616, -9223372036854775808, 123456789012345678901234567890]");
}

TEST(Json, OfAKeyGivenTwiceTheLastValueCounts) {
  EXPECT_EQ(dump_json(parsed(R"({"a": 1, "b": 2, "a": 3})")), R"({"a": 3, "b": 2})");
}

TEST(Json, RefusesWhatIsNoJson) {
  for (const char* bad :
       {"",    " ",          "{",          "[1,]", "{\"a\"}", "[1] 2",    "1 2",  "1,2",         "nul",
        "NaN", "01",         "1.",         "-",    "1e",      "+1",       "'a'",  "\"\\ud800\"", "\"\\x\"",
        "\"a", "[\"\xFF\"]", "{\"a\":1,}", "][",   "[1][2]",  "\"\x01\"", "tru e"}) {
    EXPECT_THROW(parsed(bad), Error) << bad;
  }
}

TEST(Json, SaysWhereItStopsBeingJson) {
  const auto says = [](std::string_view bad, std::string_view place) {
    try {
      parsed(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(place), std::string::npos) << e.what();
    }
  };
  says("{\"a\":\n {\"b\" 1}}", "line 2, column 7:");
  says("[1,\n\n  nul]", "line 3, column 3");
  says("[1, \"\xFF\"]", "line 1, column 6:");
  says("[1,\n2", "line 2, column 2: the end");
  says(" 12x", "line 1, column 2");
  says("{\"a\": 1,\n \"b\": \"x\n\"}", "line 2, column 9:");
  says("[\"a\\qb\", 1]", "line 1, column 5:");
  says("[\"\\ud800b\", 1]", "line 1, column 9:");
}

TEST(Json, AMarkOfTheByteOrderIsNoText) { EXPECT_EQ(parsed("\xEF\xBB\xBF[1]").items().size(), 1u); }

TEST(Json, KeysMayHaveToBeUnique) {
  const JsonLimits unique{.unique_keys = true};
  EXPECT_NO_THROW(parse_json(R"({"a": {"b": 1}, "b": {"a": 1}})", Provenance::kInput, unique));
  EXPECT_THROW(parse_json(R"([{"a": 1, "\u0061": 1}])", Provenance::kInput, unique), Error);
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_NO_THROW(parsed(std::string(190, '[') + std::string(190, ']')));
  EXPECT_THROW(parsed(std::string(191, '[') + std::string(191, ']')), Error);
  EXPECT_THROW(parsed(std::string(1000000, '[')), Error);
}

TEST(Json, IntegersHaveAsManyDigitsAsPythonAllows) {
  EXPECT_EQ(parse_json(std::string(4300, '7'), Provenance::kInput).digits().size(), 4300u);
  EXPECT_THROW(parse_json(std::string(4301, '7'), Provenance::kInput), Error);
}

}  // namespace
}  // namespace kelda::jinja
