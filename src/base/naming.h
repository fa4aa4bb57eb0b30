// Errors that say which file they are about.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace kelda {

// Runs `act` and gives what it gives. The message of an Error that it throws begins with the path, once.
template <typename Act>
auto naming(const std::filesystem::path& path, const Act& act) {
  try {
    return act();
  } catch (const Error& e) {
    const std::string what = e.what();
    if (what.starts_with(path.string())) throw;
    fail(e.code(), "{}: {}", path.string(), what);
  }
}

}  // namespace kelda
