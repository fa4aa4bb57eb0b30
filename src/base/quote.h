// Text from outside, made safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kelda {

// `text` in double quotes for a person: quotes and backslashes escaped, control characters and bytes that are
// not UTF-8 as \xNN, at most max_bytes bytes of `text`, cut at a character and followed by "…". Always valid
// UTF-8, safe on a terminal.
std::string quote(std::string_view text, std::size_t max_bytes = 120);

// `text` with the same escapes for control characters other than the newline, and for bytes that are not
// UTF-8, and nothing else changed: for messages that hold names from outside.
std::string escape_controls(std::string_view text);

}  // namespace kelda
