// The tiny networks of tests/golden/families, which scripts/make_family_golden.py asked transformers about.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "config/metadata.h"
#include "models/formula_weights.h"

namespace kelda::testing {

inline std::filesystem::path family_golden_folder() {
  return std::filesystem::path(KELDA_SOURCE_DIR) / "tests/golden/families";
}

inline nlohmann::json family_golden(const std::filesystem::path& path) {
  return nlohmann::json::parse(read_text(path, 1 << 20));
}

inline std::vector<std::filesystem::path> family_goldens() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(family_golden_folder()))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The metadata of its GGUF file.
inline Metadata golden_metadata(const nlohmann::json& golden) {
  Metadata m;
  m.add("general.architecture", MetadataValue(golden["arch"].get<std::string>()));
  for (const auto& [key, v] : golden["metadata"].items()) {
    if (v.is_string()) m.add(key, MetadataValue(v.get<std::string>()));
    if (v.is_boolean()) m.add(key, MetadataValue(v.get<bool>()));
    if (v.is_number_float()) m.add(key, MetadataValue(v.get<float>()));
    if (v.is_number_integer()) m.add(key, MetadataValue(v.get<uint32_t>()));
  }
  return m;
}

// The numbers of a tensor of its GGUF file.
inline std::vector<float> golden_values(const nlohmann::json& golden, const std::string& name) {
  const nlohmann::json& values = golden["values"];
  if (values.contains(name)) return values[name].get<std::vector<float>>();
  return formula_weights(golden["seed"], name, golden["tensors"][name].get<std::vector<int64_t>>());
}

}  // namespace kelda::testing
