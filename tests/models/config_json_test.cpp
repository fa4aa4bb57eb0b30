#include "models/huggingface/config_json.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::models {
namespace {

template <typename Act>
void expect_refused(ErrorCode code, std::string_view names, const Act& act) {
  try {
    act();
    ADD_FAILURE() << "no error: " << names;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(names), std::string_view::npos) << e.what();
  }
}

TEST(ConfigJson, ReadsValuesAndDefaults) {
  ConfigJson c = ConfigJson::parse(
      R"({"n": 7, "x": 0.5, "t": "silu", "b": true, "none": null, "ids": [1, 2], "id": 3, "names": ["a", "b"],
          "in": {"factor": 8.0}, "list": [{"name": "a"}, {"name": "b"}]})");
  EXPECT_EQ(c.integer("n", 0, 10), 7);
  EXPECT_EQ(c.number("x", 0, 1), 0.5);
  EXPECT_EQ(c.number("n", 0, 10), 7);
  EXPECT_EQ(c.text("t", ""), "silu");
  EXPECT_TRUE(c.boolean("b", false));
  EXPECT_EQ(c.integer("none", 0, 10, 4), 4);
  EXPECT_TRUE(c.is_null("none"));
  EXPECT_FALSE(c.is_null("n") || c.is_null("nowhere"));
  EXPECT_EQ(c.integer("absent", 0, 10, 5), 5);
  EXPECT_FALSE(c.has("none"));
  EXPECT_EQ(c.integers("ids", 0, 9), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(c.integers("id", 0, 9), (std::vector<int64_t>{3}));
  EXPECT_EQ(c.texts("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(c.is_object("in") && c.is_list("list") && !c.is_list("in"));
  auto in = c.object("in");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->number("factor", 1, 10), 8);
  in->refuse_unread();
  EXPECT_FALSE(c.object("absent"));
  EXPECT_EQ(c.objects("list").at(1).text("name", ""), "b");
  c.refuse_unread();
}

TEST(ConfigJson, AListOfObjectsNamesEachByItsNumber) {
  auto list = ConfigJson::parse_list(R"([{"a": 1}, {"a": "x"}])");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].integer("a", 0, 9), 1);
  expect_refused(ErrorCode::kBadInput, "[1].a is", [&] { list[1].integer("a", 0, 9); });
  EXPECT_TRUE(ConfigJson::parse_list("[]").empty());
  expect_refused(ErrorCode::kBadInput, "is not a JSON list, but object",
                 [] { ConfigJson::parse_list("{}"); });
  expect_refused(ErrorCode::kBadInput, "[1] is", [] { ConfigJson::parse_list("[{}, 5]"); });
  expect_refused(ErrorCode::kBadInput, "appears twice",
                 [] { ConfigJson::parse_list(R"([{"a": 1, "a": 2}])"); });
}

TEST(ConfigJson, ANumberWithSeveralNamesIsOne) {
  ConfigJson c = ConfigJson::parse(R"({"a": 3, "b": 3, "c": 4, "n": null})");
  EXPECT_EQ(c.integer_under({"a", "b"}, 1, 9), 3);
  EXPECT_EQ(c.integer_under({"x", "n", "c"}, 1, 9), 4);
  EXPECT_EQ(c.integer_under({"x", "n"}, 1, 9), std::nullopt);
  expect_refused(ErrorCode::kBadInput, "b is 3 and c is 4: they must be the same", [&] {
    c.integer_under({"b", "c"}, 1, 9);
  });
  EXPECT_THROW(c.integer_under({"a"}, 4, 9), Error);
}

TEST(ConfigJson, WhatDoesNotFitIsNamedWithItsPath) {
  ConfigJson c = ConfigJson::parse(R"({"n": 70, "big": 18446744073709551615, "s": "7", "in": {"f": [1]}})");
  expect_refused(ErrorCode::kBadInput, "n is 70; allowed are 0 to 10", [&] { c.integer("n", 0, 10); });
  expect_refused(ErrorCode::kBadInput, "big is", [&] { c.integer("big", 0, 10); });
  expect_refused(ErrorCode::kBadInput, "absent is missing", [&] { c.integer("absent", 0, 10); });
  expect_refused(ErrorCode::kBadInput, "s is \"7\"; it must be", [&] { c.integer("s", 0, 10); });
  expect_refused(ErrorCode::kBadInput, "s is", [&] { c.boolean("s", false); });
  expect_refused(ErrorCode::kBadInput, "n is", [&] { c.object("n"); });
  expect_refused(ErrorCode::kBadInput, "in.f", [&] { c.object("in")->number("f", 0, 1); });
}

TEST(ConfigJson, WhatIsNotRunOrNotKnownIsUnsupported) {
  ConfigJson c =
      ConfigJson::parse(R"({"act": "relu", "flag": true, "steps": 2, "layers": [1], "in": {"odd": 1}})");
  expect_refused(ErrorCode::kUnsupported, "act is \"relu\"; this build runs only silu, swish", [&] {
    c.only_text("act", {"silu", "swish"});
  });
  expect_refused(ErrorCode::kUnsupported, "flag is true", [&] { c.only("flag", false); });
  expect_refused(ErrorCode::kUnsupported, "steps is 2", [&] { c.only("steps", 1.0); });
  expect_refused(ErrorCode::kUnsupported, "layers", [&] { c.only_empty("layers"); });
  c.only("absent", true);
  auto in = c.object("in");
  expect_refused(ErrorCode::kUnsupported, "in.odd", [&] { in->refuse_unread(); });
  c.refuse_unread();
  ConfigJson other = ConfigJson::parse(R"({"known": 1, "mystery": 2})");
  other.ignore("known");
  expect_refused(ErrorCode::kUnsupported, "mystery", [&] { other.refuse_unread(); });
}

TEST(ConfigJson, OnlyAWellFormedObjectIsRead) {
  for (const char* text :
       {"", "[]", "7", "{", R"({"a": 1} x)", R"({"a": NaN})", R"({"a": 1e400})", "\xFF", R"({"a": "\xFF"})"})
    EXPECT_THROW(ConfigJson::parse(text), Error) << text;
  expect_refused(ErrorCode::kBadInput, "appears twice", [] { ConfigJson::parse(R"({"a": 1, "a": 2})"); });
  expect_refused(ErrorCode::kBadInput, "appears twice",
                 [] { ConfigJson::parse(R"({"b": {"a": 1, "a": 2}})"); });
  EXPECT_NO_THROW(ConfigJson::parse(R"({"b": {"a": 1}, "c": {"a": 1}})"));
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  expect_refused(ErrorCode::kBadInput, "nested deeper", [&] { ConfigJson::parse("{\"a\": " + deep + "}"); });
}

}  // namespace
}  // namespace kelda::models
