// Where downloaded models live: $XDG_CACHE_HOME/kelda/models, or ~/.cache/kelda/models.
#pragma once

#include <filesystem>
#include <vector>

#include "hub/catalog.h"
#include "hub/hub_name.h"

namespace kelda::hub {

// Throws kUsage if neither XDG_CACHE_HOME nor HOME is an absolute path.
std::filesystem::path models_folder();

// The folder of a catalogue entry, and of a file named on a hub ("hub/organisation/repository" below
// models_folder()).
std::filesystem::path folder_of(const CatalogEntry& entry);
std::filesystem::path folder_of(const HubName& name);

// What is opened: the entry's first file, or the folder where that is of safetensors; of a split set its
// first part.
std::filesystem::path path_of(const CatalogEntry& entry);
std::filesystem::path path_of(const HubName& name);

// Every file is there with its size. A file in the cache under its final name was verified when it was put
// there.
bool is_complete(const CatalogEntry& entry);
// All of files_of(name) are there.
bool is_complete(const HubName& name);
// Of all of them together. They are there.
uint64_t cached_bytes(const HubName& name);

// The files named on a hub that are in the cache, sorted by name; a split set is one, named by its first
// part. Unfinished ones are not among them.
std::vector<HubName> cached_hub_files();

// What keeps the entry's files from being looked at ("Permission denied"); empty where they are there or
// absent.
std::string unreadable(const CatalogEntry& entry);

// Whether this process may add files to the folder; false where there is none.
bool can_write_in(const std::filesystem::path& folder);

// Makes the folder and those above it. Throws kIo naming it.
void make_folder(const std::filesystem::path& folder);

}  // namespace kelda::hub
