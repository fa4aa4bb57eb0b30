// What a model takes in memory, known before it is loaded or even downloaded, as every command tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "files/model_file.h"
#include "hub/catalog.h"
#include "models/structure.h"
#include "state/kv_cache.h"

namespace kelda::cli {

struct Footprint {
  uint64_t learned_bytes = 0;    // weights and vocabulary
  KvShape kv;                    // of the cache, in f16; without layers where the model needs none
  int64_t n_ctx_train = 0;       // the longest window
  uint64_t available_bytes = 0;  // memory that this process could still take; 0 if the system does not tell
  int64_t largest_window = 0;    // that fits in it; 0 if not even the weights do
  std::optional<ModelConfig> config;  // where the file's header was read, and then:
  uint64_t file_bytes = 0;            // the weights as they are in the file
  uint64_t vocabulary_bytes = 0;      // of learned_bytes
  std::vector<models::StructurePart> structure = {};

  uint64_t kv_bytes_full_window() const;
};

// From a file's header. Throws what read_head() throws for a model that this build cannot run.
Footprint footprint(const ModelFile& file);
// From the catalogue: the weights as large as their file, about which they are.
Footprint footprint(const hub::CatalogEntry& entry);

// The table of it: LEARNED, CONFIG, STATE, and the largest window that fits here; each line ends with a
// newline.
std::string memory_table(const Footprint& footprint);

}  // namespace kelda::cli
