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
    const std::string name = path.string();
    if (what.starts_with(name + ": ") || what.starts_with(name + "/")) throw;  // of it, or in the folder
    fail(e.code(), "{}: {}", name, what);
  }
}

}  // namespace kelda
