#include "hub/folder_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

class FolderLockTest : public testing::Test {
 protected:
  FolderLockTest() : folder_(fs::temp_directory_path() / ("kelda-lock-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FolderLockTest() override { fs::remove_all(folder_); }

  // Two locks of one process exclude each other as those of two processes do: flock() belongs to the open
  // file.
  std::unique_ptr<FolderLock> lock(const std::function<bool()>& cancelled = {}) {
    return std::make_unique<FolderLock>(
        folder_, [this](std::string_view text) { notices_.emplace_back(text); }, cancelled);
  }
  bool is_free() {
    try {
      FolderLock(folder_, {}, [] { return true; });
      return true;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInterrupted) << e.what();
      return false;
    }
  }
  std::string trouble(const fs::path& folder) {
    try {
      FolderLock(folder, {}, {});
      ADD_FAILURE() << "locked " << folder;
      return {};
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kIo) << e.what();
      return e.what();
    }
  }
  int n_open_files() const {
    return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  fs::path folder_;
  std::vector<std::string> notices_;
};

TEST_F(FolderLockTest, IsHeldFromConstructionToDestruction) {
  {
    const auto held = lock();
    EXPECT_FALSE(is_free());
  }
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(notices_.empty()) << "nobody was waited for";
  EXPECT_TRUE(fs::exists(folder_ / ".lock")) << "removing it would let two processes hold different files";
}

TEST_F(FolderLockTest, OtherFoldersAreFree) {
  const auto held = lock();
  fs::create_directory(folder_ / "other");
  const FolderLock other(folder_ / "other", {}, [] { return true; });
}

TEST_F(FolderLockTest, WaitsForTheOtherAndSaysSoOnce) {
  auto first = lock();
  int n_tries = 0;
  const auto second = lock([&] {
    EXPECT_EQ(notices_.size(), n_tries == 0 ? 0u : 1u);
    if (++n_tries == 3) first.reset();
    return false;
  });
  EXPECT_EQ(n_tries, 3);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("waiting"), std::string::npos);
  EXPECT_FALSE(is_free());
}

TEST_F(FolderLockTest, StopsWaitingWhenCancelledAndLeavesNothingOpen) {
  const auto held = lock();
  const int before = n_open_files();
  int n_tries = 0;
  try {
    lock([&] { return ++n_tries == 2; });
    FAIL() << "it got the lock of another";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
    EXPECT_EQ(std::string(e.what()).find((folder_ / ".lock").string()), 0u) << e.what();
  }
  EXPECT_EQ(n_tries, 2);
  EXPECT_EQ(n_open_files(), before);
}

TEST_F(FolderLockTest, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  EXPECT_EQ(trouble(folder_ / "gone").find((folder_ / "gone/.lock").string() + ": cannot open: "), 0u);
}

TEST_F(FolderLockTest, DoesNotFollowALinkOutOfTheFolder) {
  fs::create_symlink("target", folder_ / ".lock");
  EXPECT_NE(trouble(folder_).find("cannot open"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "target"));
}

TEST_F(FolderLockTest, IsFreedWhenTheProcessThatHeldItIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto held = lock();
    const char done = 1;
    if (::write(ready[1], &done, 1) == 1) {
      for (;;) ::pause();
    }
    ::_exit(1);
  }
  ::close(ready[1]);
  char done = 0;
  EXPECT_EQ(::read(ready[0], &done, 1), 1);
  ::close(ready[0]);
  EXPECT_FALSE(is_free());
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(is_free());
}

TEST_F(FolderLockTest, AProgramStartedMeanwhileDoesNotInheritIt) {
  auto held = lock();
  pid_t child = -1;
  std::string name = "sleep", seconds = "600";
  char* const arguments[] = {name.data(), seconds.data(), nullptr};
  ASSERT_EQ(::posix_spawnp(&child, "sleep", nullptr, nullptr, arguments, environ), 0);  // returns after exec
  held.reset();
  EXPECT_TRUE(is_free());
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace kelda::hub
