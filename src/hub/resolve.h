// From what a user calls a model to a file or folder on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hub/catalog.h"

namespace kelda::hub {

struct Resolved {
  std::filesystem::path path;
  std::string name;                     // as asked for
  const CatalogEntry* entry = nullptr;  // of the catalogue; null for a path or a hub: name
};

// `model` is a path, a name of the catalogue, hub:organisation/repository/file, or
// hub:organisation/repository for what Hugging Face's tools have cached of it; empty means the catalogue's
// default. Of a folder it is what model_in_folder() says. A file in the current folder goes before a
// catalogue name. Throws kNotFound: for a model not downloaded yet, with the command that does it; for an
// unknown name, with the nearest one. Never touches the network.
Resolved resolve(std::string_view model);

}  // namespace kelda::hub
