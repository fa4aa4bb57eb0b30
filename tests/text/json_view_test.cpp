#include "text/json_view.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::text {
namespace {

template <typename Call>
void expect_error(ErrorCode code, std::string_view part, Call&& call) {
  try {
    call();
    FAIL() << "accepted; expected " << part;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code);
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(JsonView, ValuesKnowTheirPathAndType) {
  const JsonDocument d(R"({"a": {"b": [1, "x", true, null, 18446744073709551615]}})");
  JsonObject root = d.root().object();
  JsonObject a = root.need("a").object();
  const auto list = a.need("b").list(5);
  EXPECT_EQ(list[0].integer(0, 1), 1);
  EXPECT_EQ(list[1].text(), "x");
  EXPECT_TRUE(list[2].boolean());
  EXPECT_TRUE(list[3].is_null());
  expect_error(ErrorCode::kBadInput, "a.b[0] is 1; 2 to 3", [&] { list[0].integer(2, 3); });
  expect_error(ErrorCode::kBadInput, "a.b[1] is a string, not a whole number",
               [&] { list[1].integer(0, 9); });
  expect_error(ErrorCode::kBadInput, "a.b[0] is a number, not a string", [&] { list[0].text(); });
  expect_error(ErrorCode::kBadInput, "a.b[4] is above 9", [&] { list[4].integer(0, 9); });
  expect_error(ErrorCode::kBadInput, "a.b[2]", [&] { list[2].raw_list(); });
}

TEST(JsonView, NumbersOfAllOfTheirRange) {
  const JsonDocument d(R"([18446744073709551615, -1, 0.1, 1e300, "x", 5])");
  const auto list = d.at("n").list(9);
  EXPECT_EQ(list[0].natural(), 18446744073709551615u);
  EXPECT_EQ(list[5].natural(), 5u);
  EXPECT_EQ(list[2].number(0, 1), 0.1);
  EXPECT_EQ(list[5].number(0, 5), 5);
  expect_error(ErrorCode::kBadInput, "n[1] is below 0", [&] { list[1].natural(); });
  expect_error(ErrorCode::kBadInput, "n[2] is a number, not a whole number", [&] { list[2].natural(); });
  expect_error(ErrorCode::kBadInput, "n[3] is 1e+300; 0 to 1", [&] { list[3].number(0, 1); });
  expect_error(ErrorCode::kBadInput, "n[4] is a string, not a number", [&] { list[4].number(0, 1); });
}

TEST(JsonView, AValueIsJsonAgain) {
  const JsonDocument d(R"({"a": [1, 0.1, "x\"\u00e9", true, null, {"b": 4.9e-324}]})");
  EXPECT_EQ(d.root().object().need("a").json(), "[1,0.1,\"x\\\"é\",true,null,{\"b\":5e-324}]");
}

TEST(JsonView, EveryFieldMustBeAskedFor) {
  const JsonDocument d(R"({"a": 1, "b": null, "c": false})");
  JsonObject o = d.root().object();
  EXPECT_FALSE(o.take("b"));
  EXPECT_FALSE(o.take("zzz"));
  EXPECT_FALSE(o.boolean("c", true));
  EXPECT_TRUE(o.boolean("d", true));
  expect_error(ErrorCode::kUnsupported, "\"a\"", [&] { o.done(); });
  expect_error(ErrorCode::kBadInput, "\"b\"", [&] { o.need("b"); });
  o.take("a");
  o.done();
}

TEST(JsonView, RefusesWhatIsNotPlainJson) {
  for (const char* text : {"", "{", "{\"a\":1} x", "\xFF", "\"\\ud800\"", "[1,]"})
    EXPECT_THROW(JsonDocument{text}, Error) << text;
  EXPECT_THROW(JsonDocument(std::string(10'000, '[')), Error);
  expect_error(ErrorCode::kBadInput, "twice", [] { JsonDocument("{\"a\":1,\"a\":2}").root().object(); });
  std::string many = "{";
  for (int i = 0; i < 65; ++i) many += fmt::format("{}\"{}\":1", i > 0 ? "," : "", i);
  expect_error(ErrorCode::kBadInput, "more than 64", [&] { JsonDocument(many + "}").root().object(); });
}

}  // namespace
}  // namespace kelda::text
