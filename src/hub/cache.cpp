#include "hub/cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "files/gguf_parts.h"

namespace kelda::hub {

namespace fs = std::filesystem;

namespace {

fs::path file_path(const HubName& name) { return models_folder() / "hub" / name.repo / name.file; }

}  // namespace

fs::path models_folder() {
  // The XDG specification says to ignore a path that is not absolute.
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && fs::path(xdg).is_absolute()) {
    return fs::path(xdg) / "kelda" / "models";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute()) {
    return fs::path(home) / ".cache" / "kelda" / "models";
  }
  fail(ErrorCode::kUsage, "no place for models: set XDG_CACHE_HOME or HOME to an absolute path");
}

fs::path folder_of(const CatalogEntry& entry) { return models_folder() / entry.name; }

// parse_catalog() keeps "hub" from being a model's name.
fs::path folder_of(const HubName& name) { return file_path(name).parent_path(); }

fs::path path_of(const CatalogEntry& entry) {
  const fs::path first = folder_of(entry) / entry.files.front().name;
  return first.extension() == ".safetensors" ? folder_of(entry) : first;
}

fs::path path_of(const HubName& name) { return file_path(files_of(name).front()); }

bool is_complete(const CatalogEntry& entry) {
  return std::ranges::all_of(entry.files, [&](const CatalogFile& file) {
    std::error_code error;
    const uintmax_t size = fs::file_size(folder_of(entry) / file.name, error);
    return !error && size == file.bytes;
  });
}

bool is_complete(const HubName& name) {
  return std::ranges::all_of(files_of(name), [](const HubName& file) {
    std::error_code error;
    return fs::is_regular_file(file_path(file), error);
  });
}

uint64_t cached_bytes(const HubName& name) {
  uint64_t bytes = 0;
  for (const HubName& file : files_of(name)) bytes += fs::file_size(file_path(file));
  return bytes;
}

std::vector<HubName> cached_hub_files() {
  const fs::path root = models_folder() / "hub";
  std::vector<HubName> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    const std::string relative = it->path().lexically_relative(root).generic_string();
    const bool hidden = it->path().filename().string().starts_with('.');
    if (hidden) it.disable_recursion_pending();  // parts until all have come
    const bool ours = hidden || relative.ends_with(".partial") || relative.ends_with(".partial.etag");
    if (ours || !it->is_regular_file(error) || !is_safe_path(relative)) continue;
    const auto file = relative.find('/', relative.find('/') + 1);
    if (std::ranges::count(relative, '/') < 2) continue;
    const HubName name{.repo = relative.substr(0, file), .file = relative.substr(file + 1)};
    if (!gguf::is_later_part(name.file) && is_complete(name)) names.push_back(name);
  }
  std::ranges::sort(names, {}, [](const HubName& n) { return n.repo + "/" + n.file; });
  return names;
}

std::string unreadable(const CatalogEntry& entry) {
  for (const CatalogFile& file : entry.files) {
    std::error_code error;
    const fs::file_status status = fs::status(folder_of(entry) / file.name, error);
    if (status.type() == fs::file_type::none) return error.message();
  }
  return {};
}

bool can_write_in(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "{}: cannot make this folder: {}", folder.string(), error.message());
}

}  // namespace kelda::hub
