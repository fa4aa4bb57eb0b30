// What is said about a command line that does not parse.
#pragma once

#include <CLI/CLI.hpp>

namespace kelda::cli {

// --help and --version print to stdout and give 0. Anything else: one message on stderr, with the nearest
// command or flag if a word was not known, and status 2.
int explain_parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace kelda::cli
