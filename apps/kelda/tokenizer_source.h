// A tokenizer by the name of its model; the weights are not read.
#pragma once

#include <memory>
#include <string>

#include "text/tokenizer.h"

namespace kelda::cli {

// `model`: as everywhere (a GGUF file, a catalogue name, hub:org/repo/file), or the path of a tokenizer.json.
// A file that holds nothing but a vocabulary will do. Throws kelda::Error whose message begins with the path.
std::unique_ptr<const text::Tokenizer> load_tokenizer(const std::string& model);

}  // namespace kelda::cli
