// Characters and bytes: what Python's str knows of Unicode, and the hash of strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace kelda::jinja {

bool is_ascii(std::string_view text);
// Ill-formed sequences count as one character each, here and below.
std::size_t count_chars(std::string_view text);
// Byte offset of character number `index`; text.size() if there are fewer.
std::size_t char_offset(std::string_view text, std::size_t index);
// The character before byte `end` (> 0) begins here.
std::size_t previous_char(std::string_view text, std::size_t end);

enum class CharClass {
  kAlpha,
  kDecimal,
  kDigit,
  kNumeric,
  kSpace,
  kLower,
  kUpper,
  kTitle,
  kPrintable,
  kCased
};
bool is(CharClass wanted, uint32_t c);
inline bool is_alnum(uint32_t c) { return is(CharClass::kAlpha, c) || is(CharClass::kNumeric, c); }
inline bool is_word(uint32_t c) { return c == '_' || is_alnum(c); }  // \w of Python's re
bool is_identifier_start(uint32_t c);
bool is_identifier_part(uint32_t c);

enum class Case { kUpper, kLower, kTitle, kFold };
// Appends the full mapping of one character, which may be several ("ß" → "SS"). The final sigma is not
// handled here, since it depends on the neighbours.
void append_mapped(Case wanted, uint32_t c, std::string& out);

// Keyed: differs between processes.
uint64_t hash_bytes(std::string_view bytes);
uint64_t hash_word(uint64_t word);

// A number as JSON and Python's float() read it; the text must be one.
double parse_double(std::string_view text);

}  // namespace kelda::jinja
