#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/quote.h"

namespace kelda {

File::File(const std::filesystem::path& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) {
    const int e = errno;
    if (e == ENOENT || e == ENOTDIR) fail(ErrorCode::kNotFound, "{}: no such file", path.string());
    fail(ErrorCode::kIo, "{}: cannot open: {}", path.string(), std::strerror(e));
  }
  struct stat st {};
  const bool known = ::fstat(fd_, &st) == 0;
  if (!known || !S_ISREG(st.st_mode)) {
    ::close(fd_);
    fail(ErrorCode::kBadInput, "{}: {}", path.string(),
         known && S_ISDIR(st.st_mode) ? "is a directory, not a file" : "is not a regular file");
  }
  size_ = static_cast<uint64_t>(st.st_size);
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

void File::read(uint64_t offset, std::span<std::byte> out) const {
  if (!out.empty() && offset >= size_) {
    fail(ErrorCode::kBadInput, "{}: ends at byte {}, {} more bytes were expected at byte {}", path_.string(),
         size_, out.size(), offset);
  }
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0) {
      fail(ErrorCode::kBadInput, "{}: ends at byte {}, {} more bytes were expected there", path_.string(),
           offset + done, out.size() - done);
    } else if (errno != EINTR) {
      fail(ErrorCode::kIo, "{}: read error at byte {}: {}", path_.string(), offset + done,
           std::strerror(errno));
    }
  }
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !error;
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) && !error;
}

void refuse_broken_link(const std::filesystem::path& path) {
  constexpr std::size_t kPathBytes = 4096;  // of a path that a message shows
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (error) return;  // not a link
  const bool leads_somewhere = std::filesystem::exists(path, error);
  const bool loops = error == std::errc::too_many_symbolic_link_levels;
  if (leads_somewhere || (error && !loops)) return;  // where one may not look, opening it says so
  fail(ErrorCode::kNotFound, "{}: a symbolic link to {}, which {}", quote(path.string(), kPathBytes),
       quote(target.string(), kPathBytes), loops ? "leads back to itself" : "does not exist");
}

std::string read_text(const std::filesystem::path& path, uint64_t max_bytes) {
  const File file(path);
  if (file.size() > max_bytes) {
    fail(ErrorCode::kBadInput, "{}: {} bytes; at most {} are read", path.string(), file.size(), max_bytes);
  }
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// What a link at `path` leads to; `path` itself where it is none. A device is refused, also behind a link:
// renaming would replace it.
std::filesystem::path regular_file(const std::filesystem::path& path) {
  struct stat st {};
  const bool is_there = ::stat(path.c_str(), &st) == 0;
  if (is_there && !S_ISREG(st.st_mode))
    fail(ErrorCode::kBadInput, "{}: is not a regular file and will not be replaced", path.string());
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::canonical(path, error);
  if (error) {
    fail(ErrorCode::kBadInput, "{}: a symbolic link that leads to no file: {}", path.string(),
         error.message());
  }
  return target;
}

// Nobody can have guessed it, and no other process has it.
std::filesystem::path partial_name(const std::filesystem::path& path) {
  std::random_device random;
  return path.string() + fmt::format(".partial-{:08x}{:08x}", random(), random());
}

std::string open_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// A file without a name, or -1 where there can be none: not every file system has them, and only /proc gives
// them a name without a privilege.
int open_unnamed(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);
  if (fd < 0 || ::access(open_descriptor(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path, Until until)
    : path_(regular_file(path)), partial_(partial_name(path_)) {
  if (until == Until::kUnnamed) fd_ = open_unnamed(folder_of(path_));
  if (fd_ >= 0) return;
  fd_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(ErrorCode::kIo, "{}: cannot write: {}", path_.string(), std::strerror(errno));
  named_ = true;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (named_) ::unlink(partial_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      fail(ErrorCode::kIo, "{}: cannot write after {} bytes: {}", path_.string(), written_ + done,
           std::strerror(errno));
    }
  }
  written_ += bytes.size();
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail(ErrorCode::kIo, "{}: cannot sync: {}", path_.string(), std::strerror(errno));
  if (!named_) {  // a name first: no call replaces a file by one without
    named_ =
        ::linkat(AT_FDCWD, open_descriptor(fd_).c_str(), AT_FDCWD, partial_.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  if (!named_ || ::rename(partial_.c_str(), path_.c_str()) != 0) {
    fail(ErrorCode::kIo, "{}: cannot rename into place: {}", path_.string(), std::strerror(errno));
  }
  ::close(std::exchange(fd_, -1));
  const int dir = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
}

}  // namespace kelda
