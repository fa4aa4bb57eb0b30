#include "hub/hub_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "files/gguf_parts.h"

namespace kelda::hub {
namespace {

constexpr std::string_view kPrefix = "hub:";

// The kinds of files that models are read from.
constexpr std::string_view kEndings[] = {".gguf", ".safetensors", ".json", ".jinja"};

bool is_hidden(std::string_view path) { return path.starts_with('.') || path.find("/.") != path.npos; }

bool is_of_a_model(std::string_view file) {
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return file.ends_with(ending); });
}

// The value of an environment variable, or empty.
std::string text_of(const char* value) { return value == nullptr ? std::string() : std::string(value); }

}  // namespace

bool is_safe_part(std::string_view part) {
  if (part.empty() || part.size() > 128 || part[0] == '-' ||
      part.find_first_not_of('.') == std::string_view::npos)
    return false;
  return std::ranges::all_of(part, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._+-").find(c) != std::string_view::npos;
  });
}

bool is_safe_path(std::string_view path) {
  if (path.size() > 512) return false;
  while (true) {
    const auto slash = path.find('/');
    if (!is_safe_part(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::optional<HubName> parse_hub_name(std::string_view model) {
  if (!model.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = model.substr(kPrefix.size());
  const auto first = rest.find('/');
  const auto second = first == std::string_view::npos ? first : rest.find('/', first + 1);
  if (first == std::string_view::npos || !is_safe_path(rest)) {
    fail(ErrorCode::kUsage,
         "\"{}\": a file on a model hub is named hub:organisation/repository/file, each part of letters, "
         "digits and . _ + -; without the file, it is the repository in the cache of Hugging Face's tools",
         model);
  }
  if (is_hidden(rest)) fail(ErrorCode::kUsage, "\"{}\": no part of a name may begin with a dot", model);
  HubName name{.repo = std::string(rest.substr(0, second))};
  if (second != std::string_view::npos) name.file = rest.substr(second + 1);
  if (!name.file.empty() && !is_of_a_model(name.file)) {
    fail(ErrorCode::kUsage, "\"{}\": not a file that models are read from; those end in {}", model,
         fmt::join(kEndings, ", "));
  }
  return name;
}

std::vector<HubName> files_of(const HubName& name) {
  const auto part = gguf::parse_part_name(name.file);
  if (!part) return {name};
  std::vector<HubName> files(part->count, name);
  for (uint32_t no = 0; no < part->count; ++no) files[no].file = gguf::part_name(part->set, no, part->count);
  return files;
}

std::string hub_endpoint() {
  std::string endpoint = text_of(std::getenv("HF_ENDPOINT"));
  if (endpoint.empty()) return "https://huggingface.co";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

std::string hub_url(const HubName& name) {
  return fmt::format("{}/{}/resolve/{}/{}", hub_endpoint(), name.repo, name.revision, name.file);
}

std::string hub_token() { return text_of(std::getenv("HF_TOKEN")); }

}  // namespace kelda::hub
