#include "apps/kelda/terminal/say.h"

#include <cstdio>
#include <exception>

#include "base/quote.h"

namespace kelda::cli {

void say_formatted(fmt::string_view format, fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer text;
    fmt::vformat_to(std::back_inserter(text), format, args);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  } catch (const std::exception&) {
    // No memory for the words: they are what can be done without.
  }
}

void say_error(std::string_view message) noexcept {
  try {
    say("kelda: error: {}\n", escape_controls(message));
  } catch (const std::exception&) {
    say("kelda: error: out of memory\n");
  }
}

}  // namespace kelda::cli
