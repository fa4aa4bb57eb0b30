#include "hub/hub_source.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <system_error>

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
  if (first_bytes.empty()) fail(ErrorCode::kBadInput, "{}: not a GGUF file: it is empty", label);
  fail(ErrorCode::kBadInput, "{}: not a GGUF file: it begins with {}, not with {}", label, quote(first_bytes),
       quote(kGgufMagic));
}

void require_gguf_file(std::string_view label, const fs::path& path) {
  const File file(path);
  std::string first(std::min<uint64_t>(file.size(), kGgufMagic.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(first.data(), first.size())));
  require_gguf(label, first);
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

void fetch_hub_file(const HubName& name, const fs::path& path, const PullCallbacks& callbacks) {
  const std::string url = hub_url(name);
  net::DownloadOptions options;
  options.http = http_options(callbacks);
  try {
    const net::RemoteStart start = net::fetch_start(url, kGgufMagic.size(), options.http);
    const Stated stated = stated_by_hub(start);
    options.expected_bytes = stated.bytes;
    options.expected_sha256 = stated.sha256;

    const std::string label = fmt::format("hub:{}/{}", name.repo, name.file);
    std::unique_ptr<ModelFile> head;
    if (name.file.ends_with(".gguf")) {
      options.accept = [&](const fs::path& whole) { require_gguf_file(label, whole); };
      if (start.ranges || start.total_bytes == 0u) {
        require_gguf(label, {reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size()});
      }
      head = read_remote_gguf(url, path.parent_path(), start, options.http, callbacks.notice);
    }
    if (callbacks.plan) {
      callbacks.plan({.name = label, .entry = nullptr, .model = head.get(), .download_bytes = stated.bytes});
    }
    if (stated.sha256.empty() && callbacks.notice) {
      callbacks.notice("the hub states no SHA-256 for this file: its size is checked, its contents are not");
    }
    net::download(url, path, options, download_callbacks(callbacks, 0, stated.bytes));
  } catch (const Error& error) {
    rethrow_with_hint(error);
  }
}

}  // namespace kelda::hub
