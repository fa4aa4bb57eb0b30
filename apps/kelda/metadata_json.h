// Metadata of a model file as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "config/metadata.h"

namespace kelda::cli {

// A value as JSON of its own type: texts, numbers, true and false, lists. A float is the shortest number that
// reads back as it; one that is not finite is the text "NaN", "Infinity" or "-Infinity". A list of more than
// max_items is {"type": "array of f32", "length": n, "first": [its first max_items]}.
nlohmann::json metadata_json(const MetadataValue& value, std::size_t max_items);

}  // namespace kelda::cli
