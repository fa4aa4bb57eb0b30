// Files that a fuzzer fills anew for every input.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace kelda::fuzz {

// A file that is kept open, in memory or at a path, so that filling it is two system calls.
class InputFile {
 public:
  InputFile() : fd_(::memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    KELDA_CHECK(fd_ >= 0);
  }
  explicit InputFile(std::filesystem::path path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)), path_(std::move(path)) {
    KELDA_CHECK(fd_ >= 0);
  }
  ~InputFile() { ::close(fd_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void fill(std::string_view bytes) {
    if (bytes.size() != size_) KELDA_CHECK(::ftruncate(fd_, static_cast<off_t>(bytes.size())) == 0);
    size_ = bytes.size();
    KELDA_CHECK(::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int fd_;
  std::size_t size_ = 0;
  std::filesystem::path path_;
};

// A folder, in memory where the system has such, that is gone when the fuzzer ends in order.
class ScratchFolder {
 public:
  ScratchFolder() {
    const std::filesystem::path shared = "/dev/shm";
    const auto parent = std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
    path_ = parent / ("kelda-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kelda::fuzz
