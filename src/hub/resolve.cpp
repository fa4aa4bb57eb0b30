#include "hub/resolve.h"

#include <system_error>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "hub/cache.h"
#include "hub/hub_name.h"
#include "hub/other_caches.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPathBytes = 4096;  // of a path that a message shows

bool looks_like_path(std::string_view model) {
  return model.find('/') != std::string_view::npos || model.ends_with(".gguf") ||
         model.ends_with(".safetensors");
}

Resolved from_catalog(const CatalogEntry& entry) {
  const fs::path path = path_of(entry);
  if (!is_complete(entry)) {
    if (const std::string reason = unreadable(entry); !reason.empty())
      fail(ErrorCode::kIo, "{}: cannot open: {}", path.string(), reason);
    fail(ErrorCode::kNotFound, "{}: not downloaded yet: kelda pull {}", entry.name, entry.name);
  }
  return {.path = path, .name = entry.name, .entry = &entry};
}

// In our cache, or else in that of Hugging Face's tools.
fs::path on_the_hub(const HubName& name, std::string_view model) {
  std::error_code error;
  if (!name.file.empty() && is_complete(name)) return path_of(name);
  if (name.file.empty() && is_there(folder_of(name) / "config.json")) return folder_of(name);
  if (const auto snapshot = cached_snapshot(name.repo, name.revision)) {
    if (name.file.empty()) return model_in_folder(*snapshot);
    if (const fs::path theirs = *snapshot / name.file; fs::is_regular_file(theirs, error)) return theirs;
  }
  if (!name.file.empty()) fail(ErrorCode::kNotFound, "{}: not downloaded yet: kelda pull {}", model, model);
  fail(ErrorCode::kNotFound,
       "{}: not in the cache of Hugging Face's tools (HF_HOME); of a GGUF repository, name the file: {}/FILE",
       model, model);
}

[[noreturn]] void unknown(std::string_view model) {
  const auto names = catalog().names();
  const std::string near = did_you_mean(model, names);
  fail(ErrorCode::kNotFound, "{}: neither a file nor a model of the catalogue{}. See kelda models",
       quote(model, kPathBytes), near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace

Resolved resolve(std::string_view model) {
  if (model.empty()) model = catalog().default_name;
  if (const auto name = parse_hub_name(model))
    return {.path = on_the_hub(*name, model), .name = std::string(model), .entry = nullptr};
  const CatalogEntry* entry = catalog().find(model);
  std::error_code error;
  const fs::file_status status = fs::status(fs::path(model), error);
  // A folder does not hide a catalogue name: it is more likely a namesake.
  if (fs::exists(status) && (entry == nullptr || !fs::is_directory(status))) {
    const fs::path path = fs::is_directory(status) ? model_in_folder(fs::path(model)) : fs::path(model);
    return {.path = path, .name = std::string(model), .entry = nullptr};
  }
  if (entry != nullptr) return from_catalog(*entry);
  refuse_broken_link(fs::path(model));
  if (looks_like_path(model)) fail(ErrorCode::kNotFound, "{}: no such file", quote(model, kPathBytes));
  unknown(model);
}

}  // namespace kelda::hub
