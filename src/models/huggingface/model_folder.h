// A folder as Hugging Face's tools write it, read as if it were a GGUF file.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "files/model_file.h"

namespace kelda::models {

// A folder with config.json and model.safetensors, or its sharded form, of a family of this build. The
// tokenizer is not read; of tokenizer_config.json, chat_template.jinja and the like, nothing is.
//   Throws kNotFound, kBadInput (the file, and the setting or the tensor) and kUnsupported naming the known
//   architectures.
std::unique_ptr<ModelFile> open_model_folder(const std::filesystem::path& folder);

}  // namespace kelda::models
