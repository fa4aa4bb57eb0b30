#include "hub/hub_source.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <system_error>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parse_number.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "hub/cache.h"
#include "hub/remote_gguf.h"
#include "net/download.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

net::HttpOptions http_options(const PullCallbacks& callbacks) {
  net::HttpOptions options;
  options.bearer_token = hub_token();
  options.cancelled = callbacks.cancelled;
  return options;
}

// `before`: bytes of the files already done; `total`: of all files, if known.
net::DownloadCallbacks download_callbacks(const PullCallbacks& callbacks, uint64_t before,
                                          std::optional<uint64_t> total) {
  return {.progress =
              [&callbacks, before, total](const net::DownloadProgress& p) {
                if (!callbacks.progress) return;
                callbacks.progress(
                    {.phase = p.phase == net::DownloadPhase::kVerify ? PullPhase::kVerify : PullPhase::kFetch,
                     .done = before + p.done,
                     .resumed = p.resumed,
                     .total = total ? total : p.total});
              },
          .notice = callbacks.notice};
}

// A hub that keeps large files elsewhere tells, on the way there, their SHA-256 and size. Only its own word
// counts, not what the places it sends to say; the size is theirs where it tells none.
struct Stated {
  std::string sha256;
  std::optional<uint64_t> bytes;
};
Stated stated_by_hub(const net::RemoteStart& start) {
  const auto& headers = start.head.own;
  Stated stated{.sha256 = {}, .bytes = start.total_bytes};
  if (const auto it = headers.find("x-linked-size"); it != headers.end()) {
    if (const auto bytes = parse_number<uint64_t>(it->second)) stated.bytes = bytes;
  }
  if (const auto it = headers.find("x-linked-etag"); it != headers.end()) {
    std::string tag = it->second;
    std::erase(tag, '"');
    std::ranges::transform(tag, tag.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (is_sha256_hex(tag)) stated.sha256 = tag;
  }
  return stated;
}

// The hub answers 401 or 403 for what needs a token; say so, since the status alone does not.
[[noreturn]] void rethrow_with_hint(const Error& error) {
  const std::string_view text = error.what();
  if (text.ends_with("401 Unauthorized") || text.ends_with("403 Forbidden")) {
    fail(error.code(), "{}; a model that needs an account is fetched with its token in HF_TOKEN", text);
  }
  throw error;
}

constexpr std::string_view kGgufMagic = "GGUF";

// A page that says "not found", say, under the name of a model.
void require_gguf(std::string_view label, std::string_view first_bytes) {
  if (first_bytes == kGgufMagic) return;
  if (first_bytes.empty()) fail(ErrorCode::kIo, "{}: not a GGUF file: it is empty", label);
  fail(ErrorCode::kIo, "{}: not a GGUF file: it begins with {}, not with {}", label, quote(first_bytes),
       quote(kGgufMagic));
}

void require_gguf_file(std::string_view label, const fs::path& path) {
  const File file(path);
  std::string first(std::min<uint64_t>(file.size(), kGgufMagic.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(first.data(), first.size())));
  require_gguf(label, first);
}

// A file to download, and what the hub says of it.
struct HubFile {
  std::string label;
  RemoteFile remote;
  Stated stated;

  bool is_gguf() const { return remote.name.ends_with(".gguf"); }
};

HubFile ask_hub(const HubName& name, const net::HttpOptions& http) {
  HubFile file{.label = fmt::format("hub:{}/{}", name.repo, name.file),
               .remote = {.url = hub_url(name), .name = fs::path(name.file).filename().string(), .start = {}},
               .stated = {}};
  file.remote.start = net::fetch_start(file.remote.url, kGgufMagic.size(), http);
  file.stated = stated_by_hub(file.remote.start);
  const net::RemoteStart& start = file.remote.start;
  if (file.is_gguf() && (start.ranges || start.total_bytes == 0u)) {
    require_gguf(file.label, {reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size()});
  }
  return file;
}

// Every one of them, so that one that is missing is known before anything is downloaded.
std::vector<HubFile> ask_hub_for_all(std::span<const HubName> names, const net::HttpOptions& http) {
  std::vector<HubFile> files;
  for (const HubName& name : names) {
    try {
      files.push_back(ask_hub(name, http));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNotFound || names.size() == 1) throw;
      fail(ErrorCode::kNotFound, "{}; it is part {} of a set of {}, which is fetched whole or not at all",
           error.what(), files.size() + 1, names.size());
    }
  }
  return files;
}

// Of all together; nothing if the hub does not state each.
std::optional<uint64_t> total_bytes(std::span<const HubFile> files) {
  uint64_t total = 0;
  for (const HubFile& file : files) {
    if (!file.stated.bytes) return std::nullopt;
    const auto sum = checked_add(total, *file.stated.bytes);
    if (!sum) fail(ErrorCode::kBadInput, "{}: the sizes that the hub states are too large", file.label);
    total = *sum;
  }
  return total;
}

void tell_plan(std::span<const HubFile> files, std::optional<uint64_t> total, const fs::path& folder,
               const net::HttpOptions& http, const PullCallbacks& callbacks) {
  std::unique_ptr<ModelFile> head;
  if (files.front().is_gguf()) {
    std::vector<RemoteFile> remotes;
    for (const HubFile& file : files) remotes.push_back(file.remote);
    head = read_remote_gguf(remotes, folder, http, callbacks.notice);
  }
  const std::string& first = files.front().label;
  const std::string name =
      files.size() == 1 ? first : fmt::format("{} and the other parts, {} in all", first, files.size());
  if (callbacks.plan) {
    callbacks.plan({.name = name, .entry = nullptr, .model = head.get(), .download_bytes = total});
  }
  const auto n_unstated =
      std::ranges::count_if(files, [](const HubFile& file) { return file.stated.sha256.empty(); });
  if (n_unstated == 0 || !callbacks.notice) return;
  callbacks.notice(
      files.size() == 1
          ? "the hub states no SHA-256 for this file: its size is checked, its contents are not"
          : fmt::format("the hub states no SHA-256 for {} of the {} parts: their sizes are checked, their "
                        "contents are not",
                        n_unstated, files.size()));
}

// All parts must fit, not only the next one.
void require_space_for_set(std::span<const HubFile> files, const fs::path& folder) {
  uint64_t missing = 0;
  for (const HubFile& file : files) {
    if (!file.stated.bytes) return;
    std::error_code absent;
    uintmax_t there = fs::file_size(folder / file.remote.name, absent);
    if (absent) there = fs::file_size(net::partial_path(folder / file.remote.name), absent);
    missing += *file.stated.bytes - (absent ? 0 : std::min<uint64_t>(there, *file.stated.bytes));
  }
  net::require_free_space(folder / files.front().remote.name, missing);
}

// The file that an earlier try brought: known to be right by what the hub states alone.
bool has_arrived(const HubFile& file, const fs::path& path, const std::function<bool(uint64_t)>& progress) {
  std::error_code absent;
  return !file.stated.sha256.empty() && fs::file_size(path, absent) == file.stated.bytes &&
         sha256_of_file(path, progress) == file.stated.sha256;
}

}  // namespace

void fetch_hub_files(const HubSource& source, const CatalogEntry& entry, const fs::path& folder, bool force,
                     const PullCallbacks& callbacks) {
  uint64_t before = 0;
  for (std::size_t i = 0; i < entry.files.size(); ++i) {
    const CatalogFile& file = entry.files[i];
    const fs::path target = folder / file.name;
    std::error_code absent;
    const bool there =
        !force && fs::file_size(target, absent) == file.bytes &&
        sha256_of_file(target, verify_progress(callbacks, before, entry.bytes())) == file.sha256;
    if (!there) {
      make_folder(target.parent_path());
      net::DownloadOptions options;
      options.http = http_options(callbacks);
      options.expected_bytes = file.bytes;
      options.expected_sha256 = file.sha256;
      const HubName name{.repo = source.repo, .file = source.files[i], .revision = source.revision};
      try {
        net::download(hub_url(name), target, options, download_callbacks(callbacks, before, entry.bytes()));
      } catch (const Error& error) {
        rethrow_with_hint(error);
      }
    }
    before += file.bytes;
  }
}

void fetch_hub_model(std::span<const HubName> names, const fs::path& folder, const PullCallbacks& callbacks) {
  const net::HttpOptions http = http_options(callbacks);
  try {
    const std::vector<HubFile> files = ask_hub_for_all(names, http);
    const std::optional<uint64_t> total = total_bytes(files);
    tell_plan(files, total, folder, http, callbacks);
    const bool is_set = files.size() > 1;
    if (is_set) require_space_for_set(files, folder);
    uint64_t before = 0;
    for (const HubFile& file : files) {
      const fs::path path = folder / file.remote.name;
      if (!is_set || !has_arrived(file, path, verify_progress(callbacks, before, total))) {
        net::DownloadOptions options{.http = http,
                                     .expected_bytes = file.stated.bytes,
                                     .expected_sha256 = file.stated.sha256,
                                     .accept = {}};
        if (file.is_gguf())
          options.accept = [&](const fs::path& whole) { require_gguf_file(file.label, whole); };
        net::download(file.remote.url, path, options, download_callbacks(callbacks, before, total));
      }
      before += fs::file_size(path);
    }
  } catch (const Error& error) {
    rethrow_with_hint(error);
  }
}

}  // namespace kelda::hub
