// What went wrong, as data: one code, one message for a person. Thrown at the edge that reads bad input;
// caught in few places (see docs/adr/0002-exceptions-at-edges.md). Our own bugs are KELDA_CHECK, not Error.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace kelda {

enum class ErrorCode {
  kUsage,          // the command line or a knob is wrong
  kBadInput,       // a file or text is malformed
  kNotFound,       // a file, model or name does not exist
  kUnsupported,    // well formed, but this build cannot run it
  kContextLength,  // the prompt does not fit the window
  kOutOfMemory,    // refused before it was tried
  kIo,             // the operating system or the network said no
  kInterrupted,    // the user said stop
  kInternal,       // a bug that was contained
};

// One row per code: how it leaves the process, the server and the API.
struct ErrorTraits {
  std::string_view name;         // "bad_input"
  int exit_status;               // of the command line
  int http_status;               // of the server
  std::string_view openai_type;  // `error.type`
};
const ErrorTraits& traits(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

// Throws Error{code, formatted message}.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace kelda
