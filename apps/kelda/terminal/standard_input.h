// What comes in on stdin, as a whole.
#pragma once

#include <cstdint>
#include <string>

namespace kelda::cli {

// Throws kBadInput beyond max_bytes, kIo on a read error.
std::string read_stdin(uint64_t max_bytes);

}  // namespace kelda::cli
