// What a model will take in memory, known before it is downloaded: from the catalogue or from the head of its
// file.
#pragma once

#include <cstdint>
#include <optional>

#include "files/model_file.h"
#include "hub/catalog.h"

namespace kelda::hub {

struct Footprint {
  uint64_t weights_bytes = 0;
  uint64_t kv_bytes_per_token = 0;  // keys and values of all layers in f16; 0: keeps no cache
  int64_t n_ctx_train = 0;          // the longest window
};

// For working buffers, beside weights and cache.
inline constexpr uint64_t kWorkspaceBytes = 100'000'000;

Footprint footprint(const CatalogEntry& entry);
// Nothing if the file is not of a language model: one of its keys is missing or out of range.
std::optional<Footprint> footprint(const ModelFile& file);

// Weights, workspace and the cache of a window of n_tokens. Saturates at the largest 64-bit number.
uint64_t bytes_needed(const Footprint& footprint, int64_t n_tokens);

// The largest window ≤ n_ctx_train whose need is ≤ available_bytes; 0 if not even the weights fit.
int64_t largest_window(const Footprint& footprint, uint64_t available_bytes);

// Memory that this process could still take: the system's estimate, and the cgroup's limit where lower.
// Nothing if the system does not tell.
std::optional<uint64_t> available_memory_bytes();

}  // namespace kelda::hub
