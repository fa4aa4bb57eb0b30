// Another program, run to its end while its output is kept and the user can stop it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kelda::hub {

struct ProcessOptions {
  std::filesystem::path folder;          // where it runs
  std::vector<std::string> environment;  // "NAME=value", added to ours
  std::function<bool()> tick;  // called about ten times a second; false ends the program and its children
};

struct ProcessResult {
  int exit_status = 0;  // 128 + signal if a signal ended it
  std::string output;   // the last 4 KiB of stdout and stderr together
};

// Runs arguments[0], found by PATH, with no input. Throws kNotFound if there is no such program, kInterrupted
// if tick() said stop, kIo if the system cannot start it.
ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options);

}  // namespace kelda::hub
