#include "hub/remote_gguf.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"

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

// Where the tensors' data begins: all before it must have been fetched for the head to be real and not the
// hole's zeros.
uint64_t data_begin(const ModelFile& model) {
  uint64_t first = std::numeric_limits<uint64_t>::max();
  for (const TensorInfo& tensor : model.tensors()) first = std::min(first, tensor.offset);
  return first;
}

constexpr std::string_view kHeadPrefix = ".head-";

// The first `bytes` of a file of `total` bytes, as a model. The file that this takes is nameless as soon as
// it is open, so that nothing is left of it whatever happens.
std::unique_ptr<ModelFile> open_head(const fs::path& temporary, std::span<const std::byte> bytes,
                                     uint64_t total) {
  struct Removal {
    const fs::path& path;
    ~Removal() { ::unlink(path.c_str()); }
  };
  const Removal removal{temporary};
  write_sparse(temporary, bytes, total);
  return open_gguf(temporary);
}

}  // namespace

void discard_remote_heads(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(kHeadPrefix)) left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove(path, error);
}

std::unique_ptr<ModelFile> read_remote_gguf(const std::string& url, const fs::path& folder,
                                            const net::RemoteStart& start, const net::HttpOptions& options,
                                            const std::function<void(std::string_view)>& notice) {
  const auto give_up = [&](std::string_view why) -> std::unique_ptr<ModelFile> {
    if (notice) notice(fmt::format("what the model needs is not known before the download: {}", why));
    return nullptr;
  };
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  if (!start.ranges || !start.total_bytes || *start.total_bytes > kLargest) {
    return give_up("the server cannot send a part of a file");
  }
  const uint64_t total = *start.total_bytes;
  const fs::path temporary = folder / fmt::format("{}{}.gguf", kHeadPrefix, ::getpid());
  std::string trouble;
  for (const uint64_t count : {uint64_t{4} << 20, uint64_t{16} << 20, uint64_t{64} << 20}) {
    const net::RemoteStart head = net::fetch_start(url, std::min(count, total), options);
    try {
      std::unique_ptr<ModelFile> model = open_head(temporary, head.bytes, total);
      if (head.bytes.size() == total || data_begin(*model) <= head.bytes.size()) return model;
      trouble = "its head is longer than 64 MiB";
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kIo) throw;  // the disk, not the file
      trouble = error.what();
    }
    if (count >= total) break;
  }
  if (trouble.starts_with(temporary.string())) trouble.erase(0, temporary.string().size() + 2);
  return give_up(trouble);
}

}  // namespace kelda::hub
