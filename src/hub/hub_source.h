// Models that lie as plain files on a model hub.
#pragma once

#include <filesystem>

#include "hub/catalog.h"
#include "hub/hub_name.h"
#include "hub/pull.h"

namespace kelda::hub {

// Puts every file of `entry` into `folder`, which exists and is locked; files that are there and right are
// left alone unless `force`. Throws what net::download() throws.
void fetch_hub_files(const HubSource& source, const CatalogEntry& entry, const std::filesystem::path& folder,
                     bool force, const PullCallbacks& callbacks);

// Downloads one file by its name on the hub to `path`, whose folder exists and is locked. Its SHA-256 is
// checked where the hub states one. A GGUF file's head is read first, so that the plan can say what the model
// will take; what is named .gguf and is none is refused (kBadInput, with its first bytes).
void fetch_hub_file(const HubName& name, const std::filesystem::path& path, const PullCallbacks& callbacks);

}  // namespace kelda::hub
