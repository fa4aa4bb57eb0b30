// One GGUF file, read and checked by itself; gguf_split.h puts the parts of a set together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "config/metadata.h"
#include "files/model_file.h"

namespace kelda::gguf {

struct Part {
  explicit Part(const std::filesystem::path& path) : file(path) {}
  File file;
  uint32_t version = 0;
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // in the table's order; a name may still be there twice
};

// Throws as open_gguf() does.
Part read_part(const std::filesystem::path& path);

}  // namespace kelda::gguf
