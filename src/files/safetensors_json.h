// JSON out of a file that nobody vouches for, event by event: nothing of the text's size is ever in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"

namespace kelda::safetensors {

// Limits of this implementation, beside the format's own.
inline constexpr uint64_t kMaxTextBytes = uint64_t{4} << 20;  // of one string, as it stands in the file
inline constexpr uint64_t kMaxWordBytes = 64;                 // of one number

// What the text says, in its order. `at` is the offset in the file where the value begins.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void open_object(uint64_t at) = 0;
  virtual void close_object(uint64_t at) = 0;
  virtual void open_array(uint64_t at) = 0;
  virtual void close_array(uint64_t at) = 0;
  virtual void key(uint64_t at, std::string name) = 0;
  virtual void text(uint64_t at, std::string value) = 0;
  virtual void count(uint64_t at, uint64_t value) = 0;
  // Any other value, in words for a message: "null", "true", "a negative number", "the number 1.5".
  virtual void other(uint64_t at, std::string_view value) = 0;
};

// Parses bytes [begin, end) of the file as one JSON text (RFC 8259, no byte order mark, no NUL). Keys that
// are there twice are reported twice. Throws kBadInput with the byte offset; `what` names the text in
// messages ("the header"). Strings and numbers beyond the limits above are refused; depth is for the caller
// to limit.
void parse_json(const File& file, uint64_t begin, uint64_t end, std::string_view what, JsonEvents& events);

// Throws kBadInput: "PATH: byte AT: MESSAGE".
[[noreturn]] void refuse(const File& file, uint64_t at, std::string_view message);

}  // namespace kelda::safetensors
