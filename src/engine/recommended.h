// The settings that a model's publisher recommends, where the model's own files state them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/metadata.h"
#include "models/huggingface/config_json.h"

namespace kelda {

struct Recommended {
  std::string source;                                  // "generation_config.json", "general.sampling"
  std::vector<std::pair<std::string, double>> values;  // by the knob's name, within its range
  std::vector<std::string> left_out;                   // what else is there and never comes from a file
};

// A GGUF file's general.sampling.*. Throws kBadInput naming the key.
Recommended recommended_by(const Metadata& metadata);

// A generation_config.json. do_sample false is temperature 0; without do_sample, and nothing that only
// sampling could use, nothing is recommended. Throws kBadInput naming the key.
Recommended recommended_by(models::ConfigJson& generation_config);

}  // namespace kelda
