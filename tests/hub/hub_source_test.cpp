#include "hub/hub_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// Two files that are there and right, so that nothing is to be fetched.
class HubSourceTest : public testing::Test {
 protected:
  HubSourceTest() : folder_(fs::temp_directory_path() / ("kelda-hub-source-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    for (const char* name : {"a.bin", "b.bin"}) {
      std::ofstream(folder_ / name) << name << std::string(1000, 'x');
      entry_.files.push_back({.name = name, .bytes = 1005, .sha256 = sha256_of_file(folder_ / name)});
    }
    source_ = {.repo = "org/repo", .revision = "main", .files = {"a.bin", "b.bin"}};
  }
  ~HubSourceTest() override { fs::remove_all(folder_); }

  fs::path folder_;
  CatalogEntry entry_;
  HubSource source_;
};

TEST_F(HubSourceTest, VerifyingWhatIsThereTellsOfItsProgress) {
  std::vector<PullProgress> told;
  PullCallbacks callbacks;
  callbacks.progress = [&](const PullProgress& p) { told.push_back(p); };
  fetch_hub_files(source_, entry_, folder_, false, callbacks);
  ASSERT_FALSE(told.empty());
  uint64_t last = 0;
  for (const PullProgress& p : told) {
    EXPECT_EQ(p.phase, PullPhase::kVerify);
    EXPECT_EQ(p.total, 2010u);
    EXPECT_GE(p.done, last);
    last = p.done;
  }
  EXPECT_EQ(last, 2010u);
}

TEST_F(HubSourceTest, VerifyingWhatIsThereCanBeCancelled) {
  PullCallbacks callbacks;
  callbacks.cancelled = [] { return true; };
  try {
    fetch_hub_files(source_, entry_, folder_, false, callbacks);
    FAIL() << "not cancelled";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
}

}  // namespace
}  // namespace kelda::hub
