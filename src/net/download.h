// A file from the network, whole or not at all: it grows as PATH.partial, is checked, and only then gets its
// name. What an interruption leaves is taken up again by the next try.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace kelda::net {

struct DownloadOptions {
  HttpOptions http;
  std::optional<uint64_t> expected_bytes;  // another size offered is an error before anything is written
  std::string expected_sha256;             // 64 hex digits, or empty: not checked
  uint64_t max_bytes = 0;                  // 0: no limit
  // Looks at the whole file, by then verified, before it gets its name; what it throws is thrown, and the
  // file removed.
  std::function<void(const std::filesystem::path&)> accept;
  int attempts = 4;  // tries in a row that bring no byte before it gives up
};

enum class DownloadPhase { kTransfer, kVerify };

struct DownloadProgress {
  DownloadPhase phase = DownloadPhase::kTransfer;
  uint64_t done = 0;     // bytes on disk, those of an earlier try included
  uint64_t resumed = 0;  // of which from an earlier try
  std::optional<uint64_t> total;
};

struct DownloadCallbacks {
  std::function<void(const DownloadProgress&)> progress;
  std::function<void(std::string_view)> notice;  // "… starting again": what the user should know
};

struct Downloaded {
  uint64_t bytes = 0;
  std::string sha256;
};

// Downloads `url` to `path`, whose folder exists. Another process must not write the same path: the caller
// locks. Throws kNotFound for 404 and 410; kIo for other HTTP statuses, a full disk (naming path and bytes
// needed), a network that stays broken, a wrong size or SHA-256 (the partial file is removed); kInterrupted
// (it is kept).
Downloaded download(const std::string& url, const std::filesystem::path& path, const DownloadOptions& options,
                    const DownloadCallbacks& callbacks);

// The first bytes of a remote file, and what its server says about the whole.
struct RemoteStart {
  bool ranges = false;           // false: the server has no ranges, `bytes` is empty
  std::vector<std::byte> bytes;  // at most `count`
  std::optional<uint64_t> total_bytes;
  ReplyHead head;
};
// Throws like download().
RemoteStart fetch_start(const std::string& url, uint64_t count, const HttpOptions& options);

// Where an unfinished download of `path` is kept, and how to drop it.
std::filesystem::path partial_path(const std::filesystem::path& path);
void discard_partial(const std::filesystem::path& path);

// Throws kIo, naming the path and both counts, if the disk that holds `path` has fewer than `bytes` free.
void require_free_space(const std::filesystem::path& path, uint64_t bytes);

}  // namespace kelda::net
