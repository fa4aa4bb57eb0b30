// The files that sentence-transformers adds to a folder.
#pragma once

#include <filesystem>

#include "models/huggingface/huggingface.h"

namespace kelda::models {

// modules.json and the settings of the pooling that it names: pooling_type and normalize_embeddings. Without
// that file nothing is set; t has the embedding_length.
//   Throws kBadInput and kUnsupported naming the file and the setting: for other modules than a transformer,
//   one pooling by mean or first token, and a normalisation.
void translate_sentence_modules(const std::filesystem::path& folder, Translation& t);

}  // namespace kelda::models
