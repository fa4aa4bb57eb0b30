// The picture of a network that `kelda inspect` draws.
#pragma once

#include <string>
#include <vector>

#include "config/model_config.h"
#include "models/structure.h"

namespace kelda::cli {

// From the ids at the top to the logits below: each part with its tensors, their shapes, parameters, bytes in
// the file and formats. Each line ends with a newline.
std::string structure_text(const ModelConfig& config, const std::vector<models::StructurePart>& parts);

}  // namespace kelda::cli
