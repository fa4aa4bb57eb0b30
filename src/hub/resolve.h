// From what a user calls a model to a file on this machine.
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

// `model` is a path, a name of the catalogue, or hub:organisation/repository/file; empty means the
// catalogue's default. A file in the current folder goes before a catalogue name. Throws kNotFound: for a
// model not downloaded yet, with the command that does it; for an unknown name, with the nearest one. Never
// touches the network.
Resolved resolve(std::string_view model);

}  // namespace kelda::hub
