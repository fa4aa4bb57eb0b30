#include "hub/remote_gguf.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "files/gguf_parts.h"
#include "hub/cache.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// The bytes at the start, then a hole up to the full size, so that a reader's checks against the file's end
// hold.
void write_sparse(const fs::path& path, std::span<const std::byte> bytes, uint64_t total) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) fail(ErrorCode::kIo, "{}: cannot write: {}", path.string(), std::strerror(errno));
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    good = n > 0 || errno == EINTR;
  }
  good = good && ::ftruncate(fd, static_cast<off_t>(total)) == 0;
  const int error = errno;
  ::close(fd);
  if (good) return;
  ::unlink(path.c_str());
  fail(ErrorCode::kIo, "{}: cannot write: {}", path.string(), std::strerror(error));
}

constexpr std::string_view kHeadPrefix = ".head-";

// A folder for heads, which goes as soon as they are open, so that nothing is left of them whatever happens.
class HeadFolder {
 public:
  explicit HeadFolder(const fs::path& folder) : path_(folder / fmt::format("{}{}", kHeadPrefix, ::getpid())) {
    make_folder(path_);
  }
  ~HeadFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  HeadFolder(const HeadFolder&) = delete;
  HeadFolder& operator=(const HeadFolder&) = delete;

  fs::path path_of(const RemoteFile& file) const { return path_ / file.name; }
  // An error's text without the folder's own name.
  std::string shown(std::string text) const {
    const std::string prefix = path_.string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, prefix.size());
    return text;
  }

 private:
  fs::path path_;
};

bool cannot_be_read(const Error& error) {
  return error.code() == ErrorCode::kBadInput || error.code() == ErrorCode::kUnsupported;
}

// Puts at `path` as much of the file as its head needs, `least` bytes at first. Throws what data_begin()
// throws for a head that cannot be read.
void fetch_head(const RemoteFile& file, const fs::path& path, uint64_t least,
                const net::HttpOptions& options) {
  constexpr uint64_t kMost = uint64_t{64} << 20;
  const uint64_t total = *file.start.total_bytes;
  for (uint64_t count = least; count <= kMost; count *= 4) {
    const net::RemoteStart head = net::fetch_start(file.url, std::min(count, total), options);
    write_sparse(path, head.bytes, total);
    if (head.bytes.size() == total) return;
    try {
      // All before the data must have been fetched for the head to be real and not the hole's zeros.
      if (gguf::data_begin(path) <= head.bytes.size()) return;
    } catch (const Error& error) {
      if (!cannot_be_read(error) || count == kMost || count >= total) throw;
    }
  }
  fail(ErrorCode::kBadInput, "{}: its head is longer than 64 MiB", path.string());
}

}  // namespace

void discard_remote_heads(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(kHeadPrefix)) left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove_all(path, error);
}

std::unique_ptr<ModelFile> read_remote_gguf(std::span<const RemoteFile> files, const fs::path& folder,
                                            const net::HttpOptions& options,
                                            const std::function<void(std::string_view)>& notice) {
  const auto give_up = [&](std::string_view why) -> std::unique_ptr<ModelFile> {
    if (notice) notice(fmt::format("what the model needs is not known before the download: {}", why));
    return nullptr;
  };
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  for (const RemoteFile& file : files) {
    if (!file.start.ranges || !file.start.total_bytes || *file.start.total_bytes > kLargest) {
      return give_up("the server cannot send a part of a file");
    }
  }
  // The metadata, with the vocabulary, is in the first file.
  constexpr uint64_t kLeastOfFirst = uint64_t{4} << 20, kLeastOfOthers = uint64_t{256} << 10;
  const HeadFolder heads(folder);
  try {
    for (std::size_t i = 0; i < files.size(); ++i)
      fetch_head(files[i], heads.path_of(files[i]), i == 0 ? kLeastOfFirst : kLeastOfOthers, options);
    return open_gguf(heads.path_of(files.front()));
  } catch (const Error& error) {
    if (!cannot_be_read(error)) throw;
    return give_up(heads.shown(error.what()));
  }
}

}  // namespace kelda::hub
