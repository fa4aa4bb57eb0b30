#include "hub/hub_name.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"

namespace kelda::hub {
namespace {

TEST(HubName, SplitsIntoRepositoryAndFile) {
  const auto name = parse_hub_name("hub:org/repo/a-Q4_0.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->repo, "org/repo");
  EXPECT_EQ(name->file, "a-Q4_0.gguf");
  EXPECT_EQ(name->revision, "main");
  EXPECT_EQ(parse_hub_name("hub:org/repo/Q4_0/model.gguf")->file, "Q4_0/model.gguf");
  EXPECT_EQ(parse_hub_name("hub:org/repo")->file, "");  // the repository
  EXPECT_FALSE(parse_hub_name("smollm2"));
  EXPECT_FALSE(parse_hub_name("./hub:org/repo/x"));
}

TEST(HubName, APartOfASplitSetStandsForAllOfIt) {
  const HubName second{.repo = "org/repo", .file = "sub/m-00002-of-00003.gguf", .revision = "other"};
  const auto files = files_of(second);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].file, "sub/m-00001-of-00003.gguf");
  EXPECT_EQ(files[1].file, second.file);
  EXPECT_EQ(files[2].file, "sub/m-00003-of-00003.gguf");
  for (const HubName& file : files) EXPECT_EQ(file.repo + "@" + file.revision, "org/repo@other");
  for (const char* whole :
       {"mixture-of-experts.gguf", "m-00004-of-00003.gguf", "m-00001-of-00003.safetensors"}) {
    const auto alone = files_of({.repo = "org/repo", .file = whole});
    ASSERT_EQ(alone.size(), 1u) << whole;
    EXPECT_EQ(alone[0].file, whole);
  }
}

TEST(HubName, WhatIsNotSuchANameIsAUsageError) {
  for (const char* text :
       {"hub:", "hub:org", "hub:org/repo/", "hub:/repo/x", "hub:org//x", "hub:../a/b", "hub:org/repo/../x",
        "hub:org/repo/a b", "hub:org/repo/a%2fb", "hub:org/repo/-x", "hub:o/r/x?y", "hub:org/repo/.lock",
        "hub:org/.repo", "hub:org/repo/.a/x.gguf", "hub:org/repo/x.txt", "hub:o/r/gguf"}) {
    try {
      parse_hub_name(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage);
    }
  }
  EXPECT_THROW(parse_hub_name("hub:o/r/" + std::string(129, 'x') + ".gguf"), Error);
}

TEST(HubName, TheAddressFollowsTheEnvironment) {
  const HubName name{.repo = "org/repo", .file = "x.gguf", .revision = "v1"};
  ::unsetenv("HF_ENDPOINT");
  EXPECT_EQ(hub_url(name), "https://huggingface.co/org/repo/resolve/v1/x.gguf");
  ::setenv("HF_ENDPOINT", "http://127.0.0.1:1//", 1);
  EXPECT_EQ(hub_url(name), "http://127.0.0.1:1/org/repo/resolve/v1/x.gguf");
  ::unsetenv("HF_ENDPOINT");
}

}  // namespace
}  // namespace kelda::hub
