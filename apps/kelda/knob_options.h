// Knob rows as command-line flags.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

#include "config/knob.h"

namespace kelda::cli {

// Adds one flag per row ("--top-p"); help, range and default come from the row. Parsing the command line sets
// `knobs` with the source "flag"; a value that it refuses throws kelda::Error (kUsage) out of the parse.
// Lists and token biases may be given more than once, anything else once. `knobs` knows the rows; both
// outlive the parse.
void add_knob_flags(CLI::App& app, std::span<const Knob* const> rows, Knobs& knobs);
// The same for all rows of a request; the footer of the help tells where what is not set comes from.
void add_knob_options(CLI::App& app, std::span<const Knob* const> rows, Knobs& knobs);

}  // namespace kelda::cli
