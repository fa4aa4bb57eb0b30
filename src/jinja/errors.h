// What can go wrong in a template. Inside the engine a Failure travels, which knows the kind that Python
// would have raised; at its edge it becomes a TemplateError, which knows the line.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "base/error.h"

namespace kelda::jinja {

// Thrown by Template's constructor and by render(). what() is "NAME:LINE: DETAIL".
class TemplateError : public Error {
 public:
  TemplateError(const std::string& name, int line, std::string detail)
      : Error(ErrorCode::kBadInput, fmt::format("{}:{}: {}", name, line, detail)),
        line_(line),
        detail_(std::move(detail)) {}
  int line() const { return line_; }
  // The message alone, in the words of Jinja2 or Python where they have some.
  const std::string& detail() const { return detail_; }

 private:
  int line_;
  std::string detail_;
};

// The template refused its input by raise_exception(); detail() is what it said.
class TemplateRaised : public TemplateError {
 public:
  using TemplateError::TemplateError;
};

enum class Raised {
  kSyntax,
  kType,       // TypeError
  kValue,      // ValueError
  kLookup,     // KeyError, IndexError
  kOverflow,   // OverflowError, and integers beyond 64 bits
  kUndefined,  // UndefinedError, SecurityError
  kOther,
  kTemplate,  // raise_exception()
  kLimit,
};

class Failure : public std::exception {
 public:
  Failure(Raised kind, std::string message, int line = 0)
      : kind_(kind), line_(line), message_(std::move(message)) {}
  Raised kind() const { return kind_; }
  int line() const { return line_; }  // 0 if the thrower did not know
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Raised kind_;
  int line_;
  std::string message_;
};

template <typename... Args>
[[noreturn]] void raise(Raised kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Failure(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace kelda::jinja
