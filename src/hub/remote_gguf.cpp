#include "hub/remote_gguf.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

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

}  // namespace

RemoteGguf::RemoteGguf(fs::path temporary, std::unique_ptr<ModelFile> model)
    : temporary_(std::move(temporary)), model_(std::move(model)) {}

RemoteGguf::~RemoteGguf() {
  model_.reset();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

std::unique_ptr<RemoteGguf> read_remote_gguf(const std::string& url, const fs::path& folder,
                                             const net::RemoteStart& start, const net::HttpOptions& options,
                                             const std::function<void(std::string_view)>& notice) {
  const auto give_up = [&](std::string_view why) {
    if (notice) notice(fmt::format("what the model needs is not known before the download: {}", why));
    return nullptr;
  };
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  if (!start.ranges || !start.total_bytes || *start.total_bytes > kLargest) {
    return give_up("the server cannot send a part of a file");
  }
  const uint64_t total = *start.total_bytes;
  const fs::path temporary = folder / fmt::format(".head-{}.gguf", ::getpid());
  std::string trouble;
  for (const uint64_t count : {uint64_t{4} << 20, uint64_t{16} << 20, uint64_t{64} << 20}) {
    const net::RemoteStart head = net::fetch_start(url, std::min(count, total), options);
    write_sparse(temporary, head.bytes, total);
    try {
      std::unique_ptr<ModelFile> model = open_gguf(temporary);
      if (head.bytes.size() == total || data_begin(*model) <= head.bytes.size()) {
        return std::make_unique<RemoteGguf>(temporary, std::move(model));
      }
      trouble = "its head is longer than 64 MiB";
    } catch (const Error& error) {
      trouble = error.what();
    }
    if (count >= total) break;
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  if (trouble.starts_with(temporary.string())) trouble.erase(0, temporary.string().size() + 2);
  return give_up(trouble);
}

}  // namespace kelda::hub
