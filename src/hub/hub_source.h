// Models that lie as plain files on a model hub.
#pragma once

#include <filesystem>
#include <span>

#include "hub/catalog.h"
#include "hub/hub_name.h"
#include "hub/pull.h"

namespace kelda::hub {

// Puts every file of `entry` into `folder`, which exists and is locked; files that are there and right are
// left alone unless `force`. Throws what net::download() throws.
void fetch_hub_files(const HubSource& source, const CatalogEntry& entry, const std::filesystem::path& folder,
                     bool force, const PullCallbacks& callbacks);

// Downloads `files`, one or all parts of a split set in their order, into `folder`, which exists and is
// locked. Their SHA-256 are checked where the hub states them; a part that is there with the stated one is
// left alone. GGUF heads are read first, so that the plan can say what the model will take; what is named
// .gguf and is none is refused (kIo, with its first bytes).
void fetch_hub_model(std::span<const HubName> files, const std::filesystem::path& folder,
                     const PullCallbacks& callbacks);

}  // namespace kelda::hub
