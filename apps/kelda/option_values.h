// What the value of an option may be, with words of our own for what is refused.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kelda::cli {

// A whole decimal number from lo to hi; the option's help says so.
void allow_integers(CLI::Option& option, int64_t lo, int64_t hi);

// A number above lo and up to hi; the option's help says so.
void allow_numbers(CLI::Option& option, double lo, double hi);

// One of these words; the help shows them, and completion offers them.
void allow_words(CLI::Option& option, const std::vector<std::string>& words);
// What allow_words() has set; empty for other options.
std::vector<std::string> allowed_words(const CLI::Option& option);

// An empty text is not the same as none: it is refused.
void refuse_empty(CLI::Option& option);

// Throws kBadInput: "invalid UTF-8 at byte 3 of --system".
void require_utf8(std::string_view text, std::string_view what);

// Marks an option whose value is the name of a model, for completion.
void name_models(CLI::Option& option);
bool names_models(const CLI::Option& option);

}  // namespace kelda::cli
