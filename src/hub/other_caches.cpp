#include "hub/other_caches.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "files/gguf_parts.h"
#include "files/safetensors.h"
#include "hub/hub_name.h"

namespace kelda::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRepoPrefix = "models--";
constexpr uint64_t kMaxManifestBytes = 1 << 20;
constexpr uint64_t kMaxRefBytes = 256;

// An absolute path from an environment variable, or nothing.
std::optional<fs::path> folder_from(const char* value) {
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return fs::path(value);
}

// The same of those that Hugging Face's tools read, which take any path.
std::optional<fs::path> huggingface_folder(const char* value) {
  if (value == nullptr || *value == '\0') return std::nullopt;
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(value), error);
  return error ? std::nullopt : std::optional(path);
}

std::optional<fs::path> first_of(std::initializer_list<std::optional<fs::path>> paths) {
  for (const auto& path : paths)
    if (path) return path;
  return std::nullopt;
}

std::optional<fs::path> below(const std::optional<fs::path>& folder, const char* rest) {
  return folder ? std::optional(*folder / rest) : std::nullopt;
}

std::optional<fs::path> home() { return folder_from(std::getenv("HOME")); }

std::optional<fs::path> huggingface_cache() {
  return first_of({huggingface_folder(std::getenv("HF_HUB_CACHE")),
                   below(huggingface_folder(std::getenv("HF_HOME")), "hub"),
                   below(folder_from(std::getenv("XDG_CACHE_HOME")), "huggingface/hub"),
                   below(home(), ".cache/huggingface/hub")});
}

// The folders and files of `folder`, sorted; none where it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<fs::path> snapshot_in(const fs::path& repo_folder, std::string_view revision) {
  std::error_code error;
  const fs::path ref = repo_folder / "refs" / revision;
  if (!fs::is_regular_file(ref, error)) return std::nullopt;
  std::string commit;
  try {
    commit = read_text(ref, kMaxRefBytes);
  } catch (const Error&) {
    return std::nullopt;
  }
  commit.erase(commit.find_last_not_of(" \r\n") + 1);
  if (!is_safe_part(commit)) return std::nullopt;
  const fs::path snapshot = repo_folder / "snapshots" / commit;
  return is_folder(snapshot) ? std::optional(snapshot) : std::nullopt;
}

// "models--org--name" → "org/name"
std::string repo_of(const std::string& folder_name) {
  const std::string repo = folder_name.substr(kRepoPrefix.size());
  const std::size_t at = repo.find("--");
  return at == std::string::npos ? repo : fmt::format("{}/{}", repo.substr(0, at), repo.substr(at + 2));
}

std::vector<std::string> gguf_files(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : entries(folder)) {
    const std::string name = path.filename().string();
    std::error_code error;
    if (name.ends_with(".gguf") && !gguf::is_later_part(name) && fs::is_regular_file(path, error))
      names.push_back(name);
  }
  return names;
}

void add_huggingface(std::vector<OtherModel>& out) {
  const auto cache = huggingface_cache();
  if (!cache) return;
  for (const fs::path& folder : entries(*cache)) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(kRepoPrefix)) continue;
    const auto snapshot = snapshot_in(folder, "main");
    if (!snapshot) continue;
    // A repository of GGUF files may have the config.json of what they were made from.
    if (is_there(*snapshot / "config.json") && has_safetensors(*snapshot))
      out.push_back({"Hugging Face", repo_of(name), *snapshot});
    for (const std::string& file : gguf_files(*snapshot))
      out.push_back({"Hugging Face", fmt::format("{}/{}", repo_of(name), file), *snapshot / file});
  }
}

void add_lm_studio(std::vector<OtherModel>& out) {
  for (const char* place : {".lmstudio/models", ".cache/lm-studio/models"}) {
    const auto root = below(home(), place);
    if (!root) continue;
    for (const fs::path& maker : entries(*root))
      for (const fs::path& model : entries(maker))
        for (const std::string& file : gguf_files(model))
          out.push_back(
              {"LM Studio", fs::path(model / file).lexically_relative(*root).string(), model / file});
  }
}

void add_llama_cpp(std::vector<OtherModel>& out) {
  const auto cache = first_of({folder_from(std::getenv("LLAMA_CACHE")),
                               below(folder_from(std::getenv("XDG_CACHE_HOME")), "llama.cpp"),
                               below(home(), ".cache/llama.cpp")});
  if (!cache) return;
  for (const std::string& file : gguf_files(*cache)) out.push_back({"llama.cpp", file, *cache / file});
}

// The blob of a manifest's layer that is the model; empty if there is none.
std::string model_blob(const fs::path& manifest) {
  const auto json = nlohmann::json::parse(read_text(manifest, kMaxManifestBytes), nullptr, false);
  const auto layers = json.is_object() ? json.find("layers") : json.end();
  if (!json.is_object() || layers == json.end() || !layers->is_array()) return {};
  for (const auto& layer : *layers) {
    if (!layer.is_object() || layer.value("mediaType", "") != "application/vnd.ollama.image.model") continue;
    std::string digest = layer.value("digest", "");
    if (const std::size_t colon = digest.find(':'); colon != std::string::npos) digest[colon] = '-';
    return is_safe_part(digest) ? digest : "";
  }
  return {};
}

// manifests/HOST/NAMESPACE/MODEL/TAG → blobs/sha256-…
void add_ollama(std::vector<OtherModel>& out) {
  const auto root = first_of({folder_from(std::getenv("OLLAMA_MODELS")), below(home(), ".ollama/models")});
  if (!root) return;
  for (const fs::path& host : entries(*root / "manifests"))
    for (const fs::path& space : entries(host))
      for (const fs::path& model : entries(space))
        for (const fs::path& tag : entries(model)) {
          std::string blob;
          try {
            blob = model_blob(tag);
          } catch (const std::exception&) {
            continue;
          }
          std::error_code error;
          if (blob.empty() || !fs::is_regular_file(*root / "blobs" / blob, error)) continue;
          const std::string name = fmt::format("{}:{}", model.filename().string(), tag.filename().string());
          const bool is_owned = space.filename() != "library";
          out.push_back({"Ollama", is_owned ? fmt::format("{}/{}", space.filename().string(), name) : name,
                         *root / "blobs" / blob});
        }
}

}  // namespace

std::optional<fs::path> cached_snapshot(std::string_view repo, std::string_view revision) {
  const auto cache = huggingface_cache();
  if (!cache) return std::nullopt;
  const std::size_t slash = repo.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return snapshot_in(
      *cache / fmt::format("{}{}--{}", kRepoPrefix, repo.substr(0, slash), repo.substr(slash + 1)), revision);
}

fs::path model_in_folder(const fs::path& folder) {
  fs::path place = folder;
  // A name that ends in a slash has an empty last part.
  const fs::path named = folder.filename().empty() ? folder.parent_path() : folder;
  if (named.filename().string().starts_with(kRepoPrefix))
    if (const auto snapshot = snapshot_in(named, "main")) place = *snapshot;
  const std::vector<std::string> files = gguf_files(place);
  if (is_there(place / "config.json") && (files.empty() || has_safetensors(place))) return place;
  if (files.size() == 1) return place / files[0];
  if (files.size() > 1) {
    fail(ErrorCode::kUsage, "{}: a folder with {} GGUF files: name one of {}", folder.string(), files.size(),
         fmt::join(files, ", "));
  }
  return place;
}

std::vector<OtherModel> models_of_other_tools() {
  std::vector<OtherModel> out;
  for (const auto add : {add_huggingface, add_lm_studio, add_llama_cpp, add_ollama}) add(out);
  return out;
}

}  // namespace kelda::hub
