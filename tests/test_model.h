// The real model that some tests run on.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace kelda::testing {

// SmolLM2-135M-Instruct.Q4_1.gguf, by the environment variable KELDA_TEST_MODEL; nullopt if that is unset or
// empty, for the test to skip.
inline std::optional<std::filesystem::path> test_model() {
  const char* path = std::getenv("KELDA_TEST_MODEL");
  if (path == nullptr || *path == '\0') return std::nullopt;
  return path;
}

}  // namespace kelda::testing
