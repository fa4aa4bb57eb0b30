#include "base/error.h"

#include <gtest/gtest.h>

#include <set>

namespace kelda {
namespace {

TEST(Error, CarriesItsCodeAndMessage) {
  try {
    fail(ErrorCode::kBadInput, "{}: {} of {}", "file", 1, 2);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    EXPECT_STREQ(e.what(), "file: 1 of 2");
  }
}

TEST(ErrorTraits, EveryCodeHasARowOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const ErrorTraits& row = traits(static_cast<ErrorCode>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GE(row.http_status, 400);
    EXPECT_LE(row.http_status, 599);
    EXPECT_GT(row.exit_status, 0);
    EXPECT_FALSE(row.openai_type.empty());
  }
}

TEST(ErrorTraits, RowsBelongToTheirCodes) {
  EXPECT_EQ(traits(ErrorCode::kUsage).name, "usage");
  EXPECT_EQ(traits(ErrorCode::kUsage).exit_status, 2);
  EXPECT_EQ(traits(ErrorCode::kBadInput).name, "bad_input");
  EXPECT_EQ(traits(ErrorCode::kNotFound).http_status, 404);
  EXPECT_EQ(traits(ErrorCode::kUnsupported).name, "unsupported");
  EXPECT_EQ(traits(ErrorCode::kContextLength).name, "context_length_exceeded");
  EXPECT_EQ(traits(ErrorCode::kContextLength).http_status, 400);
  EXPECT_EQ(traits(ErrorCode::kOutOfMemory).http_status, 503);
  EXPECT_EQ(traits(ErrorCode::kIo).name, "io");
  EXPECT_EQ(traits(ErrorCode::kInterrupted).exit_status, 130);
  EXPECT_EQ(traits(ErrorCode::kInternal).http_status, 500);
}

TEST(ErrorTraitsDeathTest, UnknownCodeIsABug) {
  EXPECT_DEATH(traits(static_cast<ErrorCode>(999)), "internal check failed");
}

}  // namespace
}  // namespace kelda
