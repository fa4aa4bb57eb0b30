#include "config/metadata.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace kelda {
namespace {

template <typename Call>
std::string message_of(Call&& call, ErrorCode code = ErrorCode::kBadInput) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code);
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(MetadataValue, NamesEveryType) {
  const std::pair<MetadataValue, const char*> rows[] = {
      {uint8_t{}, "u8"},
      {int8_t{}, "i8"},
      {uint16_t{}, "u16"},
      {int16_t{}, "i16"},
      {uint32_t{}, "u32"},
      {int32_t{}, "i32"},
      {float{}, "f32"},
      {bool{}, "bool"},
      {std::string{}, "string"},
      {uint64_t{}, "u64"},
      {int64_t{}, "i64"},
      {double{}, "f64"},
      {std::vector<uint8_t>{}, "array of u8"},
      {std::vector<int8_t>{}, "array of i8"},
      {std::vector<uint16_t>{}, "array of u16"},
      {std::vector<int16_t>{}, "array of i16"},
      {std::vector<uint32_t>{}, "array of u32"},
      {std::vector<int32_t>{}, "array of i32"},
      {std::vector<float>{}, "array of f32"},
      {std::vector<bool>{}, "array of bool"},
      {std::vector<std::string>{}, "array of string"},
      {std::vector<uint64_t>{}, "array of u64"},
      {std::vector<int64_t>{}, "array of i64"},
      {std::vector<double>{}, "array of f64"},
  };
  for (const auto& [value, name] : rows) {
    EXPECT_EQ(value.type_name(), name);
    EXPECT_EQ(value.is_array(), std::string_view(name).substr(0, 5) == "array") << name;
    EXPECT_EQ(value.array_size(), 0U);
  }
}

TEST(MetadataValue, DisplaysForPeople) {
  EXPECT_EQ(MetadataValue(uint8_t{65}).display(9), "65");
  EXPECT_EQ(MetadataValue(int8_t{-5}).display(9), "-5");
  EXPECT_EQ(MetadataValue(0.1f).display(9), "0.1");
  EXPECT_EQ(MetadataValue(true).display(9), "true");
  EXPECT_EQ(MetadataValue(std::string("a\nb")).display(0), R"("a\x0Ab")");
  EXPECT_EQ(MetadataValue(std::string(500, 'x')).display(0).size(), 502U);
  const MetadataValue list(std::vector<std::string>{"a", "b", "c"});
  EXPECT_EQ(list.array_size(), 3U);
  EXPECT_EQ(list.display(3), R"([3 of string: "a", "b", "c"])");
  EXPECT_EQ(list.display(2), R"([3 of string: "a", "b", …])");
  EXPECT_EQ(list.display(0), "[3 of string: …]");
  EXPECT_EQ(MetadataValue(std::vector<bool>{true, false}).display(5), "[2 of bool: true, false]");
  EXPECT_EQ(MetadataValue(std::vector<float>{}).display(5), "[0 of f32]");
}

TEST(Metadata, KeepsTheOrderAndRefusesAKeyTwice) {
  Metadata m;
  m.add("z", uint32_t{1});
  m.add("a", uint32_t{2});
  EXPECT_EQ(message_of([&] { m.add("z", uint32_t{3}); }), "metadata key \"z\" appears twice");
  ASSERT_EQ(m.items().size(), 2U);
  EXPECT_EQ(m.items()[0].first, "z");
  EXPECT_EQ(m.integer("z", 0, 9), 1);
  m.set("z", int64_t{-4});
  m.set("new", true);
  EXPECT_EQ(m.items()[0].second.type_name(), "i64");
  EXPECT_EQ(m.items()[2].first, "new");
  EXPECT_TRUE(m.has("new"));
  EXPECT_EQ(m.find("none"), nullptr);
}

TEST(Metadata, CopiesAreIndependent) {
  Metadata m;
  m.add("k", uint32_t{1});
  Metadata copy = m;
  copy.set("k", uint32_t{2});
  EXPECT_EQ(m.integer("k", 0, 9), 1);
  EXPECT_EQ(copy.integer("k", 0, 9), 2);
}

TEST(Metadata, IntegersOfAnyWidthMustLieInTheRange) {
  Metadata m;
  m.add("u8", uint8_t{200});
  m.add("i16", int16_t{-3});
  m.add("u64", std::numeric_limits<uint64_t>::max());
  m.add("f32", 1.0f);
  m.add("bool", true);
  m.add("list", std::vector<uint32_t>{1});
  EXPECT_EQ(m.integer("u8", 0, 200), 200);
  EXPECT_EQ(m.integer("i16", -3, 0), -3);
  EXPECT_EQ(m.integer("absent", 0, 1, 7), 7);
  EXPECT_EQ(message_of([&] { m.integer("u8", 0, 199); }), "metadata key \"u8\" is 200; allowed are 0 to 199");
  EXPECT_EQ(message_of([&] { m.integer("i16", 0, 9, 5); }), "metadata key \"i16\" is -3; allowed are 0 to 9");
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_NE(message_of([&] { m.integer("u64", -1, most); }).find("18446744073709551615"), std::string::npos);
  EXPECT_EQ(message_of([&] { m.integer("absent", 0, 1); }), "missing metadata key \"absent\"");
  for (const char* key : {"f32", "bool", "list"}) {
    EXPECT_NE(message_of([&] { m.integer(key, 0, 9); }).find("an integer is required"), std::string::npos);
  }
}

TEST(Metadata, NumbersMustBeFiniteAndInTheRange) {
  Metadata m;
  m.add("f32", 0.5f);
  m.add("f64", 1e300);
  m.add("nan", std::numeric_limits<float>::quiet_NaN());
  m.add("inf", -std::numeric_limits<double>::infinity());
  m.add("int", uint32_t{1});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(m.number("f32", 0, 0.5), 0.5);
  EXPECT_EQ(m.number("f64", 0, infinity), 1e300);
  EXPECT_EQ(m.number("absent", 0, 1, 0.25), 0.25);
  EXPECT_EQ(message_of([&] { m.number("f32", 0, 0.25); }),
            "metadata key \"f32\" is 0.5; allowed are 0 to 0.25");
  message_of([&] { m.number("nan", -infinity, infinity); });
  message_of([&] { m.number("inf", -infinity, infinity, 0); });
  message_of([&] { m.number("absent", 0, 1); });
  EXPECT_EQ(message_of([&] { m.number("int", 0, 1); }),
            "metadata key \"int\" is of type u32; f32 or f64 is required");
}

TEST(Metadata, TextsBooleansAndListsAskForTheirExactType) {
  Metadata m;
  m.add("text", std::string("hi"));
  m.add("bool", false);
  m.add("strings", std::vector<std::string>{"a"});
  m.add("floats", std::vector<float>{1});
  m.add("int32s", std::vector<int32_t>{2, 3});
  EXPECT_EQ(m.text("text"), "hi");
  EXPECT_EQ(m.text("text", "no"), "hi");
  EXPECT_EQ(m.text("absent", "no"), "no");
  EXPECT_FALSE(m.boolean("bool", true));
  EXPECT_TRUE(m.boolean("absent", true));
  EXPECT_EQ(m.strings("strings")->at(0), "a");
  EXPECT_EQ(m.floats("floats")->at(0), 1);
  EXPECT_EQ(m.int32s("int32s")->size(), 2U);
  EXPECT_EQ(m.strings("absent"), nullptr);
  EXPECT_EQ(message_of([&] { m.text("absent"); }), "missing metadata key \"absent\"");
  EXPECT_EQ(message_of([&] { m.text("bool"); }), "metadata key \"bool\" is of type bool; string is required");
  EXPECT_EQ(message_of([&] { m.boolean("text", true); }),
            "metadata key \"text\" is of type string; bool is required");
  EXPECT_EQ(message_of([&] { m.floats("int32s"); }),
            "metadata key \"int32s\" is of type array of i32; array of f32 is required");
  message_of([&] { m.strings("text"); });
  message_of([&] { m.int32s("floats"); });
}

}  // namespace
}  // namespace kelda
