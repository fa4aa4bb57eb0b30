// The index of a sharded safetensors model: which tensor is in which file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace kelda::safetensors {

// Limits of this implementation; the number of tensors is gguf::kMaxTensors.
inline constexpr uint64_t kMaxIndexBytes = 100'000'000;
inline constexpr std::size_t kMaxFiles = 1024;
inline constexpr uint64_t kMaxFileNameBytes = 255;

struct Index {
  struct Entry {
    std::string tensor;
    uint32_t file;  // index into files
    uint64_t at;    // offset of the tensor's name in the index
  };
  std::vector<std::string> files;  // names without a folder, sorted, each once
  std::vector<Entry> entries;      // sorted by tensor, each once
};

// Reads {"weight_map": {"TENSOR": "FILE.safetensors", …}}; what else the object holds says nothing of the
// tensors and is passed over. Throws kBadInput with the byte offset: no JSON, a tensor twice, a file name
// that leads out of the folder.
Index read_index(const File& file);

}  // namespace kelda::safetensors
