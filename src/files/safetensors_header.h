// The header of one .safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "files/safetensors.h"

namespace kelda::safetensors {

inline constexpr std::string_view kMetadataKey = "__metadata__";

// The format's limit.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
// Limits of this implementation; the number of tensors is gguf::kMaxTensors.
inline constexpr uint64_t kMaxNameBytes = 1024;
inline constexpr uint64_t kMaxDims = 16;
inline constexpr uint64_t kMaxMetadataKeys = 65536;

struct Header {
  std::vector<StoredTensor> tensors;  // sorted by name; file 0, offsets from the start of the file
  std::map<std::string, std::string> metadata;
};

// Reads and checks the header against itself and the file's size. Throws kBadInput with the byte offset and
// the tensor's name, kUnsupported for a dtype that the format does not define.
Header read_header(const File& file);

}  // namespace kelda::safetensors
