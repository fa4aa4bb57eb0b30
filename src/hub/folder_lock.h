// One process at a time in a folder of the cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace kelda::hub {

// Holds FOLDER/.lock from construction to destruction; the system frees it if the process dies.
class FolderLock {
 public:
  // Waits while another process holds it, after telling `notice` once. Throws kInterrupted when cancelled()
  // says so, kIo.
  FolderLock(const std::filesystem::path& folder, const std::function<void(std::string_view)>& notice,
             const std::function<bool()>& cancelled);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace kelda::hub
