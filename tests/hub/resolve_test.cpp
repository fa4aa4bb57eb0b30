#include "hub/resolve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "hub/cache.h"
#include "hub/sized_file.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

class ResolveTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("kelda-resolve-" + std::to_string(::getpid()));
    fs::create_directories(root_ / "work");
    before_ = fs::current_path();
    fs::current_path(root_ / "work");
    ::setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    fs::current_path(before_);
    ::unsetenv("XDG_CACHE_HOME");
    fs::remove_all(root_);
  }
  static std::string complaint(std::string_view model, ErrorCode code) {
    try {
      const Resolved r = resolve(model);
      ADD_FAILURE() << model << " is " << r.path;
      return {};
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      return e.what();
    }
  }
  fs::path root_, before_;
};

TEST_F(ResolveTest, APathThatExistsIsItself) {
  put(root_ / "work" / "x.gguf", 1);
  EXPECT_EQ(resolve("x.gguf").path, "x.gguf");
  EXPECT_EQ(resolve("x.gguf").entry, nullptr);
  EXPECT_EQ(resolve((root_ / "work" / "x.gguf").string()).path, root_ / "work" / "x.gguf");
}

TEST_F(ResolveTest, ANameOfTheCatalogueIsItsFileInTheCacheOnceItIsWhole) {
  const CatalogEntry& entry = *catalog().find("smollm2");
  EXPECT_NE(complaint("smollm2", ErrorCode::kNotFound).find("kelda pull smollm2"), std::string::npos);
  put(path_of(entry), entry.bytes() - 1);
  complaint("smollm2", ErrorCode::kNotFound);
  put(path_of(entry), entry.bytes());
  EXPECT_EQ(resolve("smollm2").path, root_ / "cache/kelda/models/smollm2" / entry.files.front().name);
  EXPECT_EQ(resolve("smollm2").entry, &entry);
  EXPECT_EQ(resolve("").entry, catalog().find(catalog().default_name));
}

TEST_F(ResolveTest, AFileHidesACatalogueNameAFolderDoesNot) {
  put(root_ / "work" / "smollm2", 1);
  EXPECT_EQ(resolve("smollm2").entry, nullptr);
  fs::remove(root_ / "work" / "smollm2");
  fs::create_directory(root_ / "work" / "smollm2");
  complaint("smollm2", ErrorCode::kNotFound);
}

TEST_F(ResolveTest, AModelOfSeveralFilesNeedsThemAll) {
  const CatalogEntry& entry = *catalog().find("minilm");
  ASSERT_GT(entry.files.size(), 1u);
  for (const CatalogFile& file : entry.files) put(folder_of(entry) / file.name, file.bytes);
  EXPECT_EQ(resolve("minilm").path, folder_of(entry)) << "weights in safetensors are a folder";
  fs::remove(folder_of(entry) / entry.files.back().name);
  complaint("minilm", ErrorCode::kNotFound);
}

TEST_F(ResolveTest, AHubNameIsItsFileInTheCache) {
  const std::string name = "hub:org/repo/sub/x.gguf";
  EXPECT_NE(complaint(name, ErrorCode::kNotFound).find("kelda pull " + name), std::string::npos);
  const fs::path path = root_ / "cache/kelda/models/hub/org/repo/sub/x.gguf";
  put(path, 1);
  put(path.string() + ".partial", 1);
  put(path.parent_path() / ".lock", 0);
  EXPECT_EQ(resolve(name).path, path);
  const auto cached = cached_hub_files();
  ASSERT_EQ(cached.size(), 1u);
  EXPECT_EQ(cached[0].repo, "org/repo");
  EXPECT_EQ(cached[0].file, "sub/x.gguf");
}

TEST_F(ResolveTest, ASplitSetIsThereOnceAllOfItIs) {
  const fs::path folder = root_ / "cache/kelda/models/hub/org/repo";
  const std::string first = "hub:org/repo/m-00001-of-00002.gguf",
                    second = "hub:org/repo/m-00002-of-00002.gguf";
  put(folder / "m-00001-of-00002.gguf", 3);
  put(folder / ".staging/m-00002-of-00002.gguf", 4);
  for (const std::string& name : {first, second}) complaint(name, ErrorCode::kNotFound);
  EXPECT_TRUE(cached_hub_files().empty());
  fs::rename(folder / ".staging/m-00002-of-00002.gguf", folder / "m-00002-of-00002.gguf");
  for (const std::string& name : {first, second})
    EXPECT_EQ(resolve(name).path, folder / "m-00001-of-00002.gguf");
  const auto cached = cached_hub_files();
  ASSERT_EQ(cached.size(), 1u);
  EXPECT_EQ(cached[0].file, "m-00001-of-00002.gguf");
  EXPECT_EQ(cached_bytes(cached[0]), 7u);
}

TEST_F(ResolveTest, UnknownNamesGetTheNearest) {
  EXPECT_NE(complaint("smolm2", ErrorCode::kNotFound).find("did you mean smollm2?"), std::string::npos);
  EXPECT_EQ(complaint("zebra", ErrorCode::kNotFound).find("did you mean"), std::string::npos);
  EXPECT_NE(complaint("dir/none.gguf", ErrorCode::kNotFound).find("no such file"), std::string::npos);
}

TEST_F(ResolveTest, ALinkThatLeadsNowhereIsNamedAsOne) {
  fs::create_symlink("gone", "dangling");
  fs::create_symlink("loop.gguf", "loop.gguf");
  const std::string dangling = complaint("dangling", ErrorCode::kNotFound);
  EXPECT_EQ(dangling, "\"dangling\": a symbolic link to \"gone\", which does not exist");
  const std::string loop = complaint("loop.gguf", ErrorCode::kNotFound);
  EXPECT_EQ(loop, "\"loop.gguf\": a symbolic link to \"loop.gguf\", which leads back to itself");
}

TEST_F(ResolveTest, TheCacheFollowsXdgAndHome) {
  EXPECT_EQ(models_folder(), root_ / "cache/kelda/models");
  const char* home_before = std::getenv("HOME");
  const std::string home = home_before == nullptr ? "/" : home_before;
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, says the specification
  ::setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(models_folder(), "/somewhere/.cache/kelda/models");
  ::setenv("HOME", "", 1);
  EXPECT_THROW(models_folder(), Error);
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace kelda::hub
