// What needs no server; downloads are tested with the program (tests/e2e/pull_test.py).
#include "hub/pull.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/as_anybody.h"
#include "base/error_of.h"
#include "hub/cache.h"
#include "hub/resolve.h"
#include "hub/sized_file.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// A cache that somebody else made.
class OthersCache : public testing::Test {
 protected:
  OthersCache() : root_(fs::temp_directory_path() / ("kelda-pull-" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);
    put(path_of(name_), 1);
    for (const CatalogFile& file : entry_.files) put(folder_of(entry_) / file.name, file.bytes);
  }
  ~OthersCache() override {
    for (const fs::path& folder : {folder_of(entry_), folder_of(name_)})
      fs::permissions(folder, fs::perms::owner_all);
    ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(root_);
  }
  void allow(fs::perms perms) const {
    for (const fs::path& folder : {folder_of(entry_), folder_of(name_)}) fs::permissions(folder, perms);
  }

  fs::path root_;
  const CatalogEntry& entry_ = *catalog().find("smollm2");
  const HubName name_ = *parse_hub_name("hub:org/repo/x.gguf");
};

TEST_F(OthersCache, WhatMayOnlyBeReadIsThere) {
  allow(static_cast<fs::perms>(0555));
  const AsAnybody somebody;
  if (!somebody.ready())
    GTEST_SKIP() << "this root may not become another user, and root may write everywhere";
  EXPECT_FALSE(can_write_in(folder_of(name_)));
  EXPECT_TRUE(pull("hub:org/repo/x.gguf", {}, {}).already_there);
  // The right size is not enough: what has other bytes would have to be fetched, and cannot be put there.
  EXPECT_NE(error_of(ErrorCode::kIo, [] { (void)pull("smollm2", {}, {}); }).find("has changed"),
            std::string::npos);
}

TEST_F(OthersCache, WhatMayNotBeReadIsNotCalledAbsent) {
  EXPECT_EQ(unreadable(entry_), "");
  allow(fs::perms::none);
  const AsAnybody somebody;
  if (!somebody.ready())
    GTEST_SKIP() << "this root may not become another user, and root may read everything";
  EXPECT_EQ(unreadable(entry_), "Permission denied");
  EXPECT_NE(error_of(ErrorCode::kIo, [] { (void)resolve("smollm2"); }).find("cannot open: Permission denied"),
            std::string::npos);
}

}  // namespace
}  // namespace kelda::hub
