// Words for the person at the terminal, on stderr.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kelda::cli {

// Writes to stderr, whatever becomes of it: never throws and never fails, so that a stderr that is full or
// gone takes neither the answer nor the exit status with it.
void say_formatted(fmt::string_view format, fmt::format_args args) noexcept;

template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) noexcept {
  say_formatted(format, fmt::make_format_args(args...));
}

// "kelda: error: …" with a newline; what could steer a terminal is shown, not sent.
void say_error(std::string_view message) noexcept;

}  // namespace kelda::cli
