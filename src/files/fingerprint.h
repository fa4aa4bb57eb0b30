// Whether two model files are the same one, known without reading all of them.
#pragma once

#include <string>

#include "files/model_file.h"

namespace kelda {

// 64 hexadecimal digits: SHA-256 over every key and value of the metadata, over the name, shape, format and
// size of every tensor, and over the first, middle and last kSampleBytes of each tensor's data. Two models
// that differ in less than that have the same one; where bytes lie in the file does not count. Throws what
// reading throws.
std::string fingerprint(const ModelFile& file);

inline constexpr uint64_t kSampleBytes = 4096;

}  // namespace kelda
