#include "hub/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "base/error.h"
#include "hub/sized_file.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// Sets a variable of the environment, or removes it, until the end of the scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }
  const char* name_;
  std::optional<std::string> before_;
};

class CacheTest : public testing::Test {
 protected:
  CacheTest()
      : root_(fs::temp_directory_path() / ("kelda-cache-" + std::to_string(::getpid()))),
        xdg_("XDG_CACHE_HOME", root_.c_str()) {
    fs::remove_all(root_);
  }
  ~CacheTest() override { fs::remove_all(root_); }

  template <typename Act>
  static std::string complaint(ErrorCode code, const Act& act) {
    try {
      act();
      ADD_FAILURE() << "no error";
      return {};
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      return e.what();
    }
  }

  fs::path root_;
  Environment xdg_;
};

CatalogEntry two_files() {
  CatalogEntry entry;
  entry.name = "pair";
  entry.files = {{.name = "model.bin", .bytes = 100, .sha256 = {}},
                 {.name = "sub/config.json", .bytes = 7, .sha256 = {}}};
  return entry;
}

TEST_F(CacheTest, LiesBelowXdgCacheHomeElseBelowHome) {
  const Environment home("HOME", "/somewhere");
  EXPECT_EQ(models_folder(), root_ / "kelda/models");
  for (const char* no_folder : {static_cast<const char*>(nullptr), "", "relative", "./here"}) {
    const Environment xdg("XDG_CACHE_HOME", no_folder);
    EXPECT_EQ(models_folder(), "/somewhere/.cache/kelda/models");
  }
}

TEST_F(CacheTest, WithoutAPlaceSaysWhichVariablesGiveOne) {
  const Environment xdg("XDG_CACHE_HOME", nullptr);
  for (const char* no_folder : {static_cast<const char*>(nullptr), "", "relative"}) {
    const Environment home("HOME", no_folder);
    const std::string text = complaint(ErrorCode::kUsage, [] { models_folder(); });
    EXPECT_NE(text.find("XDG_CACHE_HOME"), std::string::npos) << text;
    EXPECT_NE(text.find("HOME to an absolute path"), std::string::npos) << text;
  }
}

TEST_F(CacheTest, AnEntryHasAFolderOfItsNameAndIsOpenedByItsFirstFile) {
  EXPECT_EQ(folder_of(two_files()), root_ / "kelda/models/pair");
  EXPECT_EQ(path_of(two_files()), root_ / "kelda/models/pair/model.bin");
}

TEST_F(CacheTest, AnEntryOfSafetensorsIsOpenedAsAFolder) {
  CatalogEntry entry = two_files();
  entry.files.front().name = "model.safetensors";
  EXPECT_EQ(path_of(entry), folder_of(entry));
}

TEST_F(CacheTest, AHubFileLiesWhereItsNameSays) {
  const HubName flat{.repo = "org/repo", .file = "x.gguf"}, deep{.repo = "org/repo", .file = "a/b/x.gguf"};
  EXPECT_EQ(folder_of(flat), root_ / "kelda/models/hub/org/repo");
  EXPECT_EQ(path_of(flat), root_ / "kelda/models/hub/org/repo/x.gguf");
  EXPECT_EQ(folder_of(deep), root_ / "kelda/models/hub/org/repo/a/b");
  EXPECT_EQ(path_of(deep), root_ / "kelda/models/hub/org/repo/a/b/x.gguf");
}

TEST_F(CacheTest, AnEntryIsCompleteWithEveryFileAtItsSize) {
  const CatalogEntry entry = two_files();
  const fs::path first = folder_of(entry) / "model.bin", second = folder_of(entry) / "sub/config.json";
  EXPECT_FALSE(is_complete(entry));
  put(first, 100);
  EXPECT_FALSE(is_complete(entry)) << "the second is missing";
  put(second, 7);
  EXPECT_TRUE(is_complete(entry));
  for (const uint64_t wrong : {0, 6, 8}) {
    put(second, wrong);
    EXPECT_FALSE(is_complete(entry)) << wrong;
  }
  fs::remove(second);
  put(second.string() + ".partial", 7);
  EXPECT_FALSE(is_complete(entry)) << "an unfinished download";
  fs::create_directory(second);
  EXPECT_FALSE(is_complete(entry)) << "a folder in its place";
}

TEST_F(CacheTest, NoFolderMeansNoHubFiles) { EXPECT_TRUE(cached_hub_files().empty()); }

TEST_F(CacheTest, HubFilesComeSortedAndWithTheNamesThatFetchedThem) {
  const fs::path hub = models_folder() / "hub";
  for (const char* path : {"org/repo/z.gguf", "org/repo/a.gguf", "org/repo/sub/deep/m.gguf", "b-org/r/q.bin"})
    put(hub / path);
  std::vector<std::string> found;
  for (const HubName& name : cached_hub_files()) {
    found.push_back(name.repo + " " + name.file);
    EXPECT_TRUE(fs::is_regular_file(path_of(name))) << found.back();
    EXPECT_EQ(name.revision, "main");
  }
  EXPECT_EQ(found, (std::vector<std::string>{"b-org/r q.bin", "org/repo a.gguf", "org/repo sub/deep/m.gguf",
                                             "org/repo z.gguf"}));
}

TEST_F(CacheTest, WhatIsUnfinishedOrNotADownloadIsNoHubFile) {
  const fs::path hub = models_folder() / "hub";
  for (const char* path :
       {"org/repo/x.gguf.partial", "org/repo/x.gguf.partial.etag", "org/repo/.lock", "org/repo/.head-1.gguf",
        "org/file-without-a-repository", "file", "org/repo/two words.gguf", "org/repo/-flag.gguf"})
    put(hub / path);
  fs::create_directories(hub / "org/repo/folder.gguf");
  fs::create_symlink("gone", hub / "org/repo/dangling.gguf");
  put(models_folder() / "pair/model.bin");  // a catalogue entry's
  EXPECT_TRUE(cached_hub_files().empty()) << cached_hub_files().front().file;
}

TEST_F(CacheTest, MakeFolderMakesThoseAboveAndIsContentWithOneThatIsThere) {
  const fs::path folder = root_ / "a/b/c";
  make_folder(folder);
  EXPECT_TRUE(fs::is_directory(folder));
  put(folder / "kept");
  make_folder(folder);
  EXPECT_TRUE(fs::exists(folder / "kept"));
}

TEST_F(CacheTest, MakeFolderNamesTheFolderThatItCannotMake) {
  put(root_ / "file");
  const fs::path below = root_ / "file/folder";
  const std::string text = complaint(ErrorCode::kIo, [&] { make_folder(below); });
  EXPECT_EQ(text.find(below.string() + ": cannot make this folder: "), 0u) << text;
  EXPECT_TRUE(fs::is_regular_file(root_ / "file"));
}

}  // namespace
}  // namespace kelda::hub
