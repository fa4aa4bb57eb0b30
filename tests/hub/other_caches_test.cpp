#include "hub/other_caches.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "files/scratch_file.h"
#include "hub/resolve.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// A home of its own, in which nothing is but what the test puts there.
class OtherCachesTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : kVariables) ::unsetenv(variable);
    if (const char* home = std::getenv("HOME")) home_ = home;
    ::setenv("HOME", root_.c_str(), 1);
  }
  void TearDown() override {
    for (const char* variable : kVariables) ::unsetenv(variable);
    ::setenv("HOME", home_.c_str(), 1);
  }
  fs::path put(const std::string& relative, const std::string& text = "x") const {
    const fs::path path = root_ / relative;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  // A repository as Hugging Face's tools lay it out: a link into the blobs.
  fs::path put_snapshot(const std::string& cache, const std::string& file) const {
    const std::string repo = cache + "/models--org--tiny-model";
    put(repo + "/refs/main", "abc123\n");
    put(repo + "/blobs/blob-" + file);
    const fs::path link = root_ / repo / "snapshots/abc123" / file;
    fs::create_directories(link.parent_path());
    fs::create_symlink(fs::path("../../blobs/blob-" + file), link);
    return link.parent_path();
  }
  static constexpr const char* kVariables[] = {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "LLAMA_CACHE",
                                               "OLLAMA_MODELS"};
  const ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
  std::string home_;
};

TEST_F(OtherCachesTest, ASnapshotIsFoundByItsRef) {
  const fs::path snapshot = put_snapshot(".cache/huggingface/hub", "config.json");
  EXPECT_EQ(cached_snapshot("org/tiny-model", "main"), snapshot);
  EXPECT_EQ(cached_snapshot("org/tiny-model", "other"), std::nullopt);
  EXPECT_EQ(cached_snapshot("org/absent", "main"), std::nullopt);
  EXPECT_EQ(resolve("hub:org/tiny-model").path, snapshot);
  EXPECT_EQ(resolve((root_ / ".cache/huggingface/hub/models--org--tiny-model").string()).path, snapshot);
  EXPECT_EQ(resolve((root_ / ".cache/huggingface/hub/models--org--tiny-model/").string()).path, snapshot);
}

TEST_F(OtherCachesTest, TheEnvironmentSaysWhereTheCacheIs) {
  const fs::path snapshot = put_snapshot("elsewhere/hub", "config.json");
  EXPECT_EQ(cached_snapshot("org/tiny-model", "main"), std::nullopt);
  ::setenv("HF_HOME", (root_ / "elsewhere").c_str(), 1);
  EXPECT_EQ(cached_snapshot("org/tiny-model", "main"), snapshot);
  ::setenv("HF_HUB_CACHE", (root_ / "nowhere").c_str(), 1);  // goes before
  EXPECT_EQ(cached_snapshot("org/tiny-model", "main"), std::nullopt);
}

TEST_F(OtherCachesTest, ARefCannotLeaveTheCache) {
  put_snapshot(".cache/huggingface/hub", "config.json");
  put(".cache/huggingface/hub/models--org--tiny-model/refs/main", "../../..");
  EXPECT_EQ(cached_snapshot("org/tiny-model", "main"), std::nullopt);
}

TEST_F(OtherCachesTest, OneGgufFileInAFolderIsMeantByIt) {
  const fs::path snapshot = put_snapshot(".cache/huggingface/hub", "m-Q4_0.gguf");
  EXPECT_EQ(resolve("hub:org/tiny-model").path, snapshot / "m-Q4_0.gguf");
  EXPECT_EQ(resolve("hub:org/tiny-model/m-Q4_0.gguf").path, snapshot / "m-Q4_0.gguf");
  EXPECT_EQ(resolve(snapshot.string()).path, snapshot / "m-Q4_0.gguf");
  put_snapshot(".cache/huggingface/hub", "m-Q8_0.gguf");
  try {
    resolve("hub:org/tiny-model");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("m-Q4_0.gguf, m-Q8_0.gguf"), std::string::npos) << e.what();
  }
}

TEST_F(OtherCachesTest, AConfigBesideAGgufFileAloneDoesNotMakeAFolderOfTensors) {
  const fs::path snapshot = put_snapshot(".cache/huggingface/hub", "m-Q4_0.gguf");
  put_snapshot(".cache/huggingface/hub", "config.json");
  EXPECT_EQ(resolve("hub:org/tiny-model").path, snapshot / "m-Q4_0.gguf");
  const auto all = models_of_other_tools();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].path, snapshot / "m-Q4_0.gguf");
  put_snapshot(".cache/huggingface/hub", "model.safetensors");
  EXPECT_EQ(resolve("hub:org/tiny-model").path, snapshot);
  EXPECT_EQ(models_of_other_tools().size(), 2u);
}

TEST_F(OtherCachesTest, ASplitSetIsOneModel) {
  for (const char* part : {"1", "2", "3"}) put(std::string("set/m-0000") + part + "-of-00003.gguf");
  EXPECT_EQ(model_in_folder(root_ / "set"), root_ / "set/m-00001-of-00003.gguf");
}

TEST_F(OtherCachesTest, AWholeFileMayHaveOfInItsName) {
  for (const char* name : {"mixture-of-experts-q4.gguf", "m-1-of-2.gguf", "m-00004-of-00003.gguf"}) {
    const fs::path file = put(std::string("maker/") + name);
    EXPECT_EQ(model_in_folder(root_ / "maker"), file);
    fs::remove(file);
    const fs::path listed = put(std::string(".cache/llama.cpp/") + name);
    const auto all = models_of_other_tools();
    ASSERT_EQ(all.size(), 1u) << name;
    EXPECT_EQ(all[0].path, listed);
    fs::remove(listed);
  }
}

TEST_F(OtherCachesTest, AFolderThatWasPulledFileByFileIsFoundByItsRepository) {
  const fs::path ours = put(".cache/kelda/models/hub/org/ours/config.json").parent_path();
  EXPECT_EQ(resolve("hub:org/ours").path, ours);
}

TEST_F(OtherCachesTest, AnUncachedRepositorySaysWhatToDo) {
  for (const char* name : {"hub:org/absent", "hub:org/absent/file.gguf"}) {
    try {
      resolve(name);
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kNotFound) << e.what();
    }
  }
}

TEST_F(OtherCachesTest, EveryToolsModelsAreListed) {
  EXPECT_TRUE(models_of_other_tools().empty());
  put_snapshot(".cache/huggingface/hub", "config.json");
  EXPECT_TRUE(models_of_other_tools().empty()) << "there is nothing to run";
  put_snapshot(".cache/huggingface/hub", "model.safetensors");
  put(".lmstudio/models/maker/model/m.gguf");
  put(".cache/llama.cpp/n.gguf");
  put(".ollama/models/manifests/registry.ollama.ai/library/tiny/1b",
      R"({"layers": [{"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:1"},
                     {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:2"}]})");
  const fs::path blob = put(".ollama/models/blobs/sha256-2");
  put(".ollama/models/manifests/registry.ollama.ai/library/broken/1b", "{");
  put(".ollama/models/manifests/registry.ollama.ai/library/odd/1b", R"({"layers": [7, {"mediaType": 3}]})");
  const auto all = models_of_other_tools();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "org/tiny-model");
  EXPECT_EQ(all[1].name, "maker/model/m.gguf");
  EXPECT_EQ(all[2].name, "n.gguf");
  EXPECT_EQ(all[3].name, "tiny:1b");
  EXPECT_EQ(all[3].path, blob);
}

}  // namespace
}  // namespace kelda::hub
