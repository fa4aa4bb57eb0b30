#include "models/config_keys.h"

#include <gtest/gtest.h>

#include "base/error_of.h"

namespace kelda::models {
namespace {

Metadata sample() {
  Metadata m;
  m.add("arch.count", MetadataValue(uint32_t{3}));
  m.add("arch.scale", MetadataValue(0.1f));
  m.add("arch.kind", MetadataValue(std::string("plain")));
  m.add("arch.flag", MetadataValue(true));
  m.add("archive.other", MetadataValue(uint32_t{1}));
  return m;
}

TEST(ConfigKeys, ReadUnderThePrefixAndRemember) {
  const Metadata m = sample();
  ConfigKeys k(m, "arch");
  EXPECT_EQ(k.full("count"), "arch.count");
  EXPECT_TRUE(k.has("count"));
  EXPECT_FALSE(k.has("missing"));
  EXPECT_FALSE(k.was_read("count"));
  EXPECT_EQ(k.integer("count", 0, 9), 3);
  EXPECT_TRUE(k.was_read("count"));
  EXPECT_EQ(k.number("missing", 0, 1, 0.5), 0.5);
  EXPECT_EQ(k.text("kind", ""), "plain");
  EXPECT_NE(error_of(ErrorCode::kBadInput, [&] { k.integer("count", 4, 9); }).find("arch.count"),
            std::string::npos);
}

TEST(ConfigKeys, FlagsAreReadOnlyWhereTheyAreFlags) {
  Metadata m = sample();
  m.add("arch.flags", MetadataValue(std::vector<bool>{true, false}));
  ConfigKeys k(m, "arch");
  ASSERT_NE(k.booleans("flags"), nullptr);
  EXPECT_EQ(k.booleans("flags")->size(), 2u);
  EXPECT_TRUE(k.was_read("flags"));
  EXPECT_EQ(k.booleans("count"), nullptr);
  EXPECT_FALSE(k.was_read("count"));
  EXPECT_EQ(k.booleans("missing"), nullptr);
  EXPECT_TRUE(k.boolean("flag", false));
  EXPECT_TRUE(k.boolean("missing", true));
}

TEST(ConfigKeys, WhatNobodyReadIsRefusedByName) {
  const Metadata m = sample();
  ConfigKeys k(m, "arch");
  k.integer("count", 0, 9);
  k.ignore("flag");
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { k.refuse_unread(); }).find("\"arch.scale\""),
            std::string::npos);
  k.number("scale", 0, 1);
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { k.refuse_unread(); }).find("\"arch.kind\""),
            std::string::npos);
  k.only("kind", "plain");
  k.refuse_unread();  // archive.other is none of its business
}

TEST(ConfigKeys, OnlyOneValueOfEachType) {
  const Metadata m = sample();
  ConfigKeys k(m, "arch");
  k.only("count", int64_t{3});
  k.only("scale", 0.1);  // as f32, though 0.1f is not 0.1
  k.only("kind", "plain");
  k.only("flag", true);
  k.only("absent", 1.0);
  const auto refused = [&](std::string_view name, const ConfigKeys::Neutral& value, std::string_view says) {
    const std::string message = error_of(ErrorCode::kUnsupported, [&] { k.only(name, value); });
    EXPECT_EQ(message, says);
  };
  refused("count", int64_t{0}, "arch.count is 3; this build runs only 0");
  refused("kind", "none", "arch.kind is \"plain\"; this build runs only \"none\"");
  refused("flag", false, "arch.flag is true; this build runs only false");
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { k.only("scale", 1.0); }).find("arch.scale"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorCode::kBadInput, [&] { k.only("kind", true); }).find("arch.kind"),
            std::string::npos);
}

}  // namespace
}  // namespace kelda::models
