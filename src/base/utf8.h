// UTF-8, decoded and validated as the Unicode standard defines it (version 15, section 3.9, table 3-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kelda {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// What the bytes begin with. kIllFormed: `length` bytes are one maximal ill-formed part, to be replaced by
// one U+FFFD. kUnfinished: all `length` bytes are the beginning of a character that further bytes may
// complete.
struct Utf8Sequence {
  enum class Kind : uint8_t { kCharacter, kIllFormed, kUnfinished };
  Kind kind;
  uint32_t length;      // in bytes, 1 to 4
  uint32_t code_point;  // of a kCharacter, else 0
};

// The first sequence of `bytes`, which must not be empty.
Utf8Sequence next_utf8(std::string_view bytes);

// Byte offset of the first sequence that is not a character; nullopt if all are. Linear.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);
inline bool is_utf8(std::string_view bytes) { return !first_invalid_utf8(bytes); }

// Appends the UTF-8 of a code point below 0x110000.
void append_utf8(uint32_t code_point, std::string& out);

}  // namespace kelda
