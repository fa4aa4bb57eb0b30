#include "hub/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "hub/hub_name.h"

namespace kelda::embedded {
extern const std::string_view models_json;
}

namespace kelda::hub {
namespace {

using Json = nlohmann::json;

// A value of the document together with where it stands, so that every complaint names its place.
class Node {
 public:
  Node(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorCode::kBadInput, "model catalogue, {}: {}", place_.empty() ? "top level" : place_,
         fmt::format(format, std::forward<Args>(args)...));
  }

  // Throws unless this is an object with exactly these fields.
  void expect_fields(std::initializer_list<std::string_view> names) const {
    if (!json_.is_object()) refuse("must be an object");
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(names, name) == names.end()) refuse("unknown field \"{}\"", name);
    }
    for (const std::string_view name : names) {
      if (!json_.contains(std::string(name))) refuse("field \"{}\" is missing", name);
    }
  }

  Node field(std::string_view name) const {
    return {json_.at(std::string(name)),
            place_.empty() ? std::string(name) : fmt::format("{}.{}", place_, name)};
  }

  std::vector<Node> items(std::size_t least) const {
    if (!json_.is_array() || json_.size() < least) refuse("must be a list of at least {}", least);
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json_.size(); ++i)
      nodes.emplace_back(json_[i], fmt::format("{}[{}]", place_, i));
    return nodes;
  }

  std::vector<std::pair<std::string, Node>> members() const {
    if (!json_.is_object()) refuse("must be an object");
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [name, value] : json_.items())
      nodes.emplace_back(name, Node(value, place_ + "." + name));
    return nodes;
  }

  std::string text() const {
    if (!json_.is_string() || json_.get_ref<const std::string&>().empty())
      refuse("must be a text that is not empty");
    return json_.get<std::string>();
  }

  bool is_null() const { return json_.is_null(); }

  bool boolean() const {
    if (!json_.is_boolean()) refuse("must be true or false");
    return json_.get<bool>();
  }

  int64_t integer(int64_t lo, int64_t hi) const {
    // A number above INT64_MAX is unsigned in the document and would wrap: compare it as what it is.
    const bool fits = json_.is_number_integer() &&
                      (!json_.is_number_unsigned() || json_.get<uint64_t>() <= static_cast<uint64_t>(hi));
    if (!fits || json_.get<int64_t>() < lo) refuse("must be a whole number in [{}, {}]", lo, hi);
    return json_.get<int64_t>();
  }

  double number() const {
    if (!json_.is_number()) refuse("must be a number");
    return json_.get<double>();
  }

  // A relative path that stays below the folder it is joined to.
  std::string path() const {
    const std::string value = text();
    if (!is_safe_path(value)) refuse("\"{}\" is not a plain relative path", value);
    return value;
  }

  std::string word() const {
    const std::string value = text();
    if (!is_safe_part(value)) refuse("\"{}\" may only have letters, digits and . _ + -", value);
    return value;
  }

 private:
  const Json& json_;
  std::string place_;
};

Licence read_licence(const Node& node) {
  node.expect_fields({"name", "spdx", "url", "consent_required"});
  return {.name = node.field("name").text(),
          .spdx = node.field("spdx").is_null() ? std::string() : node.field("spdx").text(),
          .url = node.field("url").text(),
          .consent_required = node.field("consent_required").boolean()};
}

CatalogFile read_file(const Node& node) {
  node.expect_fields({"name", "bytes", "sha256"});
  CatalogFile file{.name = node.field("name").path(),
                   .bytes = static_cast<uint64_t>(node.field("bytes").integer(1, int64_t{1} << 50)),
                   .sha256 = node.field("sha256").text()};
  if (!is_sha256_hex(file.sha256)) node.field("sha256").refuse("must be 64 lower-case hexadecimal digits");
  return file;
}

Source read_packages(const Node& node, std::size_t n_files) {
  node.expect_fields({"kind", "join", "packages"});
  PackageSource source{.packages = {}, .join = node.field("join").boolean()};
  std::size_t n_members = 0;
  for (const Node& item : node.field("packages").items(1)) {
    item.expect_fields({"name", "version", "files"});
    PackageSource::Package package{
        .name = item.field("name").word(), .version = item.field("version").word(), .members = {}};
    for (const Node& member : item.field("files").items(1)) package.members.push_back(member.path());
    n_members += package.members.size();
    source.packages.push_back(std::move(package));
  }
  if (source.join ? n_files != 1 : n_members != n_files) {
    node.refuse("{} members do not make {} files{}", n_members, n_files, source.join ? " when joined" : "");
  }
  return source;
}

Source read_hub(const Node& node, std::size_t n_files) {
  node.expect_fields({"kind", "repo", "revision", "files"});
  HubSource source{.repo = node.field("repo").path(), .revision = node.field("revision").word(), .files = {}};
  if (std::ranges::count(source.repo, '/') != 1) node.field("repo").refuse("must be \"organisation/name\"");
  for (const Node& file : node.field("files").items(1)) source.files.push_back(file.path());
  if (source.files.size() != n_files) node.refuse("{} files, the model has {}", source.files.size(), n_files);
  return source;
}

Source read_source(const Node& node, std::size_t n_files) {
  if (node.members().empty()) node.refuse("field \"kind\" is missing");
  for (const auto& [name, value] : node.members()) {
    if (name != "kind") continue;
    if (value.text() == "python_package") return read_packages(node, n_files);
    if (value.text() == "hub") return read_hub(node, n_files);
    value.refuse("unknown kind \"{}\"; known are python_package and hub", value.text());
  }
  node.refuse("field \"kind\" is missing");
}

MemoryFigures read_memory(const Node& node) {
  node.expect_fields({"n_layers", "n_kv_heads", "head_dim", "n_ctx_train"});
  return {.n_layers = node.field("n_layers").integer(1, 10'000),
          .n_kv_heads = node.field("n_kv_heads").integer(0, 10'000),
          .head_dim = node.field("head_dim").integer(1, 100'000),
          .n_ctx_train = node.field("n_ctx_train").integer(1, int64_t{1} << 32)};
}

CatalogEntry read_entry(const Node& node) {
  node.expect_fields({"name", "title", "architecture", "licence", "files", "memory", "knobs", "sources"});
  CatalogEntry entry;
  entry.name = node.field("name").word();
  if (entry.name == "hub") node.field("name").refuse("\"hub\" is the folder of files named hub:…");
  entry.title = node.field("title").text();
  entry.architecture = node.field("architecture").word();
  entry.licence = read_licence(node.field("licence"));
  uint64_t bytes = 0;
  std::set<std::string> seen;
  for (const Node& item : node.field("files").items(1)) {
    entry.files.push_back(read_file(item));
    const auto sum = checked_add(bytes, entry.files.back().bytes);
    if (!sum) item.refuse("the sizes add up to more than 64 bits hold");
    bytes = *sum;
    if (!seen.insert(entry.files.back().name).second)
      item.refuse("\"{}\" is there twice", entry.files.back().name);
  }
  for (const Node& item : node.field("sources").items(1))
    entry.sources.push_back(read_source(item, entry.files.size()));
  entry.memory = read_memory(node.field("memory"));
  const Node knobs = node.field("knobs");
  knobs.expect_fields({"values", "source"});
  entry.knobs_source = knobs.field("source").text();
  for (const auto& [name, value] : knobs.field("values").members())
    entry.knobs.emplace_back(name, value.number());
  return entry;
}

}  // namespace

uint64_t CatalogEntry::bytes() const {
  uint64_t sum = 0;
  for (const CatalogFile& file : files) sum += file.bytes;  // parse_catalog() checked that it fits
  return sum;
}

const CatalogEntry* Catalog::find(std::string_view name) const {
  const auto it = std::ranges::find(entries, name, &CatalogEntry::name);
  return it == entries.end() ? nullptr : &*it;
}

std::vector<std::string_view> Catalog::names() const {
  std::vector<std::string_view> all;
  for (const CatalogEntry& entry : entries) all.emplace_back(entry.name);
  return all;
}

Catalog parse_catalog(std::string_view json) {
  Json document;
  try {
    document = Json::parse(json);
  } catch (const Json::parse_error& e) {
    fail(ErrorCode::kBadInput, "model catalogue: not JSON at byte {}", e.byte);
  }
  const Node root(document, "");
  root.expect_fields({"default", "models"});
  Catalog catalog{.default_name = root.field("default").text(), .entries = {}};
  for (const Node& node : root.field("models").items(1)) {
    CatalogEntry entry = read_entry(node);
    if (catalog.find(entry.name) != nullptr) node.refuse("\"{}\" is there twice", entry.name);
    catalog.entries.push_back(std::move(entry));
  }
  if (catalog.find(catalog.default_name) == nullptr) {
    root.field("default").refuse("\"{}\" is not one of the models", catalog.default_name);
  }
  return catalog;
}

const Catalog& catalog() {
  static const Catalog known = [] {
    const char* path = std::getenv("KELDA_CATALOG");
    if (path == nullptr || *path == '\0') return parse_catalog(embedded::models_json);
    try {
      return parse_catalog(read_text(path, 1 << 20));
    } catch (const Error& e) {
      fail(e.code(), "{} (KELDA_CATALOG): {}", path, e.what());
    }
  }();
  return known;
}

}  // namespace kelda::hub
