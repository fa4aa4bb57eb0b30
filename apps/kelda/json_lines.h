// Values as lines of JSON on stdin.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kelda::cli {

// What becomes of the strings before a faulty line that were not handed on yet.
enum class BeforeFault { kTake, kDrop };

// Reads stdin to its end, a string a line, and hands them on several at a time: as many as `at_most` strings
// or 4 MiB, and what there is where the next line is not there yet. Throws kBadInput naming the line that is
// no JSON string, and what `take` throws.
void read_json_strings(std::size_t at_most, BeforeFault before_fault,
                       const std::function<void(const std::vector<std::string>&)>& take);

// Throws kBadInput for a line that is no JSON from that column on, counted in bytes from 1.
[[noreturn]] void fail_json_line(std::size_t number, std::size_t column);

}  // namespace kelda::cli
