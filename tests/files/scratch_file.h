// A path in the temporary folder that is this test's own and is gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace kelda {

class ScratchFile {
 public:
  ScratchFile() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    static int n = 0;
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("kelda-") + test->test_suite_name() + "-" + test->name() + "-" +
             std::to_string(::getpid()) + "-" + std::to_string(n++) + ".gguf");
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A folder likewise.
class ScratchFolder {
 public:
  ScratchFolder() { std::filesystem::create_directories(file_.path()); }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(file_.path(), ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  ScratchFile file_;
};

}  // namespace kelda
