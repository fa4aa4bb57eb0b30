// All that a model comes with for its texts, from whatever kind of file: tokenizer, chat template and the
// settings that its publisher recommends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "chat/chat_template.h"
#include "engine/recommended.h"
#include "files/model_file.h"
#include "text/tokenizer.h"

namespace kelda {

struct ModelText {
  std::unique_ptr<const text::Tokenizer> tokenizer;
  std::shared_ptr<const chat::ChatTemplate> chat_template;  // never null
  Recommended recommended;
};

// A GGUF file, or a folder as Hugging Face's tools write it. Throws as open_gguf() and open_model_folder()
// do.
std::unique_ptr<ModelFile> open_model(const std::filesystem::path& path);

// From the file's own metadata where it has a tokenizer, else from the files beside it. Throws kelda::Error.
ModelText read_text_of(const ModelFile& file);

// From a folder's tokenizer.json, with what tokenizer_config.json, generation_config.json and
// chat_template.jinja add to it where they are there; the weights need not be.
//   n_tokens: rows of the embedding; 0 if not known.
//   Throws kNotFound without a tokenizer.json, and kelda::Error naming the file for what is wrong in one.
ModelText read_text_of_folder(const std::filesystem::path& folder, int32_t n_tokens);

}  // namespace kelda
