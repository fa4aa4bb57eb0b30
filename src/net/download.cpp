#include "net/download.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"

namespace kelda::net {
namespace {

namespace fs = std::filesystem;

// The ETag that a partial file belongs to stands beside it; without a known SHA-256 it is what makes resuming
// safe.
fs::path validator_path(const fs::path& path) { return path.string() + ".partial.etag"; }

class PartialFile {
 public:
  explicit PartialFile(const fs::path& path) : path_(partial_path(path)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd_ < 0) fail(ErrorCode::kIo, "{}: cannot write: {}", path_.string(), std::strerror(errno));
    const off_t end = ::lseek(fd_, 0, SEEK_END);
    if (end < 0) fail(ErrorCode::kIo, "{}: cannot seek: {}", path_.string(), std::strerror(errno));
    size_ = static_cast<uint64_t>(end);
  }
  ~PartialFile() { ::close(fd_); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  uint64_t size() const { return size_; }

  void restart() {
    if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) {
      fail(ErrorCode::kIo, "{}: cannot truncate: {}", path_.string(), std::strerror(errno));
    }
    size_ = 0;
  }

  // `total`: how many bytes the whole file has, for the message.
  void append(std::span<const std::byte> bytes, std::optional<uint64_t> total) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n >= 0) {
        size_ += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
      } else if (errno != EINTR) {
        const std::string reason = std::strerror(errno);
        fail(ErrorCode::kIo, "{}: cannot write after {} bytes: {}; {}", path_.string(), size_, reason,
             total ? fmt::format("{} bytes are needed in all", *total) : "the size needed is unknown");
      }
    }
  }

  void sync() {
    if (::fsync(fd_) != 0) fail(ErrorCode::kIo, "{}: cannot sync: {}", path_.string(), std::strerror(errno));
  }

 private:
  fs::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

[[noreturn]] void fail_status(const std::string& url, const ReplyHead& head) {
  const ErrorCode code = head.status == 404 || head.status == 410 ? ErrorCode::kNotFound : ErrorCode::kIo;
  fail(code, "{}: the server answered {}", display_url(url), status_text(head.status));
}

bool passing_status(long status) { return status == 408 || status == 429 || status >= 500; }

// Half a second, then twice as long each time; wakes to see whether it was cancelled.
void pause_before_retry(const std::string& url, const HttpOptions& options, int failures) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(250) * (1 << std::min(failures, 6));
  while (std::chrono::steady_clock::now() < end) {
    if (options.cancelled && options.cancelled())
      fail(ErrorCode::kInterrupted, "{}: stopped", display_url(url));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// The state of one download over its tries.
class Download {
 public:
  Download(const std::string& url, const fs::path& path, const DownloadOptions& options,
           const DownloadCallbacks& callbacks)
      : url_(url), path_(path), options_(options), callbacks_(callbacks) {}

  Downloaded run() {
    bool resumed = fetch();
    Downloaded result = check();
    if (result.bytes == 0 && resumed) {  // what an earlier try left was of another file
      notice("what an earlier try left does not fit; starting again");
      resumed = fetch();
      result = check();
    }
    accept_whole();
    return finish(std::move(result));
  }

 private:
  void notice(std::string_view text) const {
    if (callbacks_.notice) callbacks_.notice(text);
  }

  // Brings the partial file to its full length. True if it began with bytes of an earlier try.
  bool fetch() {
    bool resumed = false;
    int failures = 0;
    uint64_t furthest =
        0;  // only new ground counts as progress: a server that always cuts must not keep us forever
    for (bool first = true;; first = false) {
      PartialFile file(path_);
      if (options_.expected_bytes && file.size() > *options_.expected_bytes) file.restart();
      if (first) resumed = file.size() > 0;
      if (first) earlier_ = file.size();
      if (options_.expected_bytes && file.size() == *options_.expected_bytes) {
        file.sync();
        return resumed;
      }
      furthest = std::max(furthest, file.size());
      std::string trouble;
      if (try_once(file, trouble)) {
        file.sync();
        return resumed;
      }
      failures = file.size() > furthest ? 1 : failures + 1;
      if (failures >= options_.attempts) {
        fail(ErrorCode::kIo, "{}: {}; {} bytes are kept in {} for the next try", display_url(url_), trouble,
             file.size(), partial_path(path_).string());
      }
      notice(fmt::format("{}; trying again", trouble));
      pause_before_retry(url_, options_.http, failures);
    }
  }

  // The header lines that ask for the rest of the file, or none if it cannot be resumed safely.
  std::vector<std::string> resume_lines(PartialFile& file) {
    if_range_.clear();
    if (file.size() == 0) return {};
    std::vector<std::string> lines{fmt::format("Range: bytes={}-", file.size())};
    if (options_.expected_sha256.empty()) {
      std::string etag;
      std::getline(std::ifstream(validator_path(path_)), etag);
      if (etag.empty()) {
        notice("the server gave no way to tell whether the file is still the same; starting again");
        start_again(file);
        return {};
      }
      lines.push_back("If-Range: " + etag);
      if_range_ = etag;
    }
    return lines;
  }

  // False, with the trouble, if another try may do better.
  bool try_once(PartialFile& file, std::string& trouble) {
    const std::vector<std::string> lines = resume_lines(file);
    total_.reset();
    bool again = false;
    const TransferCallbacks on{
        .head = [&](const ReplyHead& head) { return accept(head, file, !lines.empty(), again); },
        .bytes =
            [&](std::span<const std::byte> bytes) {
              if (options_.max_bytes != 0 && file.size() + bytes.size() > options_.max_bytes)
                too_large(std::nullopt);
              file.append(bytes, total_);
              report(DownloadPhase::kTransfer, file.size());
              return true;
            }};
    const TransferResult result = transfer(url_, lines, options_.http, on);
    if (result.end == TransferEnd::kBroken) {
      trouble = result.trouble;
      return false;
    }
    if (again) {
      trouble = passing_status(result.head.status)
                    ? fmt::format("the server answered {}", status_text(result.head.status))
                    : "the server did not send that part of the same file";
      return false;
    }
    if (result.head.status == 416) return true;  // accept() has seen that nothing is missing
    if (total_ && file.size() != *total_) {
      trouble = fmt::format("{} of {} bytes arrived", file.size(), *total_);
      return false;
    }
    const bool framed = !result.head.header("transfer-encoding").empty();
    if (!total_ && !framed && options_.expected_sha256.empty()) {
      discard_partial(path_);
      fail(ErrorCode::kIo,
           "{}: the server does not say how long the file is, so it cannot be known to be whole",
           display_url(url_));
    }
    return true;
  }

  // What an earlier try left is not of this file.
  void start_again(PartialFile& file) {
    file.restart();
    earlier_ = 0;
  }

  // Decides from the head of the reply whether and where its body goes. Sets `again` where a new try is
  // called for.
  bool accept(const ReplyHead& head, PartialFile& file, bool asked_for_range, bool& again) {
    if (passing_status(head.status)) {
      again = true;
      return false;
    }
    const std::optional<ContentRange> range = parse_content_range(head.header("content-range"));
    if (asked_for_range && head.status == 416) {
      if (range && range->total == file.size()) return false;
      start_again(file);
      again = true;
      return false;
    }
    if (asked_for_range && head.status == 206) {
      const bool same = if_range_.empty() || head.header("etag") == if_range_;  // some servers ignore it
      if (!same || !range || range->first != file.size() ||
          (range->total && *range->last + 1 != *range->total)) {
        start_again(file);
        again = true;
        return false;
      }
      total_ = range->total ? range->total : std::optional(*range->last + 1);
    } else if (head.status == 200) {
      if (asked_for_range) {
        notice("the server cannot resume a download; starting again");
        start_again(file);
      }
      total_ = head.header("transfer-encoding").empty() ? head.content_length() : std::nullopt;
    } else {
      fail_status(url_, head);
    }
    admit(head, file);
    return true;
  }

  // The checks of size and space before the first byte is written.
  void admit(const ReplyHead& head, PartialFile& file) {
    if (const std::string coding = head.header("content-encoding"); !coding.empty() && coding != "identity") {
      fail(ErrorCode::kIo, "{}: the server sends it as {}, which was not asked for", display_url(url_),
           coding);
    }
    if (total_ && options_.expected_bytes && *total_ != *options_.expected_bytes) {
      fail(ErrorCode::kIo, "{}: the server offers {} bytes, {} were expected", display_url(url_), *total_,
           *options_.expected_bytes);
    }
    if (total_ && options_.max_bytes != 0 && *total_ > options_.max_bytes) too_large(total_);
    if (total_) require_free_space(partial_path(path_), *total_ - file.size());
    const std::string etag = head.header("etag");
    std::ofstream(validator_path(path_)) << (etag.starts_with('"') ? etag : "");
    report(DownloadPhase::kTransfer, file.size());
  }

  [[noreturn]] void too_large(std::optional<uint64_t> size) const {
    discard_partial(path_);
    fail(ErrorCode::kBadInput, "{}: {} bytes; at most {} are allowed", display_url(url_),
         size ? fmt::format("{}", *size) : "more", options_.max_bytes);
  }

  void report(DownloadPhase phase, uint64_t done) const {
    if (callbacks_.progress)
      callbacks_.progress({.phase = phase, .done = done, .resumed = earlier_, .total = total()});
  }

  std::optional<uint64_t> total() const { return total_ ? total_ : options_.expected_bytes; }

  // Size and SHA-256 of the partial file. With a wrong one it is removed; then, if it had begun with bytes of
  // an earlier try, returns 0 bytes so that it is fetched afresh, and throws otherwise.
  Downloaded check() {
    const fs::path partial = partial_path(path_);
    Downloaded result{.bytes = fs::file_size(partial), .sha256 = {}};
    total_ = result.bytes;
    result.sha256 = sha256_of_file(partial, [&](uint64_t n) {
      report(DownloadPhase::kVerify, n);
      return !(options_.http.cancelled && options_.http.cancelled());
    });
    const bool right_size = !options_.expected_bytes || result.bytes == *options_.expected_bytes;
    const bool right_sum = options_.expected_sha256.empty() || result.sha256 == options_.expected_sha256;
    if (right_size && right_sum) return result;
    discard_partial(path_);
    if (std::exchange(earlier_, 0) > 0) return {};
    if (!right_size) {
      fail(ErrorCode::kIo, "{}: {} bytes arrived, {} were expected; they were removed", display_url(url_),
           result.bytes, *options_.expected_bytes);
    }
    fail(ErrorCode::kIo, "{}: the SHA-256 of what arrived is {}, expected {}; it was removed",
         display_url(url_), result.sha256, options_.expected_sha256);
  }

  void accept_whole() const {
    if (!options_.accept) return;
    try {
      options_.accept(partial_path(path_));
    } catch (...) {
      discard_partial(path_);
      throw;
    }
  }

  Downloaded finish(Downloaded result) const {
    const fs::path partial = partial_path(path_);
    if (::rename(partial.c_str(), path_.c_str()) != 0) {
      fail(ErrorCode::kIo, "{}: cannot rename into place: {}", path_.string(), std::strerror(errno));
    }
    discard_partial(path_);
    const int dir = ::open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
      ::fsync(dir);
      ::close(dir);
    }
    return result;
  }

  const std::string& url_;
  const fs::path& path_;
  const DownloadOptions& options_;
  const DownloadCallbacks& callbacks_;
  std::optional<uint64_t> total_;
  uint64_t earlier_ = 0;  // bytes that an earlier try left
  std::string if_range_;  // the ETag that was asked for
};

// One request for the first bytes of a file; what comes goes to `start`.
TransferResult try_start(const std::string& url, uint64_t count, const HttpOptions& options,
                         RemoteStart& start) {
  const std::vector<std::string> lines{fmt::format("Range: bytes=0-{}", count - 1)};
  const TransferCallbacks on{
      .head =
          [&](const ReplyHead& head) {
            if (passing_status(head.status)) return false;
            if (head.status == 200) {
              start.total_bytes = head.content_length();
              return false;
            }
            const auto range = parse_content_range(head.header("content-range"));
            if (head.status == 416 && range && range->total == 0u) {  // an empty file has no first byte
              start.total_bytes = 0;
              return false;
            }
            if (head.status != 206) fail_status(url, head);
            start.ranges = range && range->first == 0u;
            if (range) start.total_bytes = range->total;
            return start.ranges;
          },
      .bytes =
          [&](std::span<const std::byte> bytes) {
            const auto part = bytes.first(std::min<uint64_t>(bytes.size(), count - start.bytes.size()));
            start.bytes.insert(start.bytes.end(), part.begin(), part.end());
            return start.bytes.size() < count;
          }};
  return transfer(url, lines, options, on);
}

}  // namespace

fs::path partial_path(const fs::path& path) { return path.string() + ".partial"; }

void discard_partial(const fs::path& path) {
  std::error_code ignored;
  fs::remove(partial_path(path), ignored);
  fs::remove(validator_path(path), ignored);
}

void require_free_space(const fs::path& path, uint64_t bytes) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return;  // not known: the write itself will tell
  const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (free < bytes) {
    fail(ErrorCode::kIo, "{}: {} bytes are needed, {} are free on that disk", path.string(), bytes, free);
  }
}

Downloaded download(const std::string& url, const fs::path& path, const DownloadOptions& options,
                    const DownloadCallbacks& callbacks) {
  try {
    return Download(url, path, options, callbacks).run();
  } catch (...) {
    std::error_code error;
    if (fs::file_size(partial_path(path), error) == 0 && !error) discard_partial(path);
    throw;
  }
}

RemoteStart fetch_start(const std::string& url, uint64_t count, const HttpOptions& options) {
  if (count == 0) return {};
  for (int failures = 0;;) {
    RemoteStart start;
    TransferResult result = try_start(url, count, options, start);
    const bool busy = passing_status(result.head.status);
    if (result.end != TransferEnd::kBroken && !busy) {
      start.head = std::move(result.head);
      return start;
    }
    if (++failures >= DownloadOptions().attempts) {
      if (busy) fail_status(url, result.head);
      fail(ErrorCode::kIo, "{}: {}", display_url(url), result.trouble);
    }
    pause_before_retry(url, options, failures);
  }
}

}  // namespace kelda::net
