// Values as lines of JSON on stdin.
#pragma once

#include <cstddef>
#include <string>

namespace kelda::cli {

// The string that the line is. Throws kBadInput naming the line by its number for anything else.
std::string json_string_line(const std::string& line, std::size_t number);

// Throws kBadInput for a line that is no JSON from that column on, counted in bytes from 1.
[[noreturn]] void fail_json_line(std::size_t number, std::size_t column);

}  // namespace kelda::cli
