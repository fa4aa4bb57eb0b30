#include "hub/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.h"

namespace kelda::hub {

FolderLock::FolderLock(const std::filesystem::path& folder,
                       const std::function<void(std::string_view)>& notice,
                       const std::function<bool()>& cancelled) {
  const std::filesystem::path path = folder / ".lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd_ < 0) fail(ErrorCode::kIo, "{}: cannot open: {}", path.string(), std::strerror(errno));
  for (bool told = false; ::flock(fd_, LOCK_EX | LOCK_NB) != 0;) {
    const int error = errno;
    const bool stop = cancelled && cancelled();
    if (stop || (error != EWOULDBLOCK && error != EINTR)) {
      ::close(fd_);
      if (stop)
        fail(ErrorCode::kInterrupted, "{}: stopped while waiting for another download", path.string());
      fail(ErrorCode::kIo, "{}: cannot lock: {}", path.string(), std::strerror(error));
    }
    if (!told && notice) notice("another kelda is downloading this; waiting for it");
    told = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace kelda::hub
