// A subcommand of the binary: one file in apps/kelda/commands. The file name is the name, with
// "_command" behind it where C++ or a library of ours has taken the word.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace kelda::cli {

struct Command {
  std::string_view name;
  std::string_view summary;  // one line of `kelda --help`
  // Declares the command's options on `app` and returns what to do once they are parsed; its result is the
  // exit status. Data goes to stdout, everything else to stderr. Throws kelda::Error; main() turns it into a
  // message and a status.
  std::function<int()> (*setup)(CLI::App& app);
};
std::span<const Command* const> commands();  // generated, sorted by file name

}  // namespace kelda::cli
