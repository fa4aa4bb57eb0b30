// Files of which only the size counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace kelda::hub {

// A file of that size, without content, and the folders above it.
inline void put(const std::filesystem::path& path, uint64_t bytes = 1) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path).flush();
  std::filesystem::resize_file(path, bytes);
}

}  // namespace kelda::hub
