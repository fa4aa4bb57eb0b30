#include "jinja/string_escapes.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace kelda::jinja {
namespace {

// The character that a one-letter escape stands for, or 0.
char simple_escape(char c) {
  switch (c) {
    case '\\':
    case '\'':
    case '"':
      return c;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return 0;
  }
}

std::size_t hex_digits(char c) { return c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0; }

// Code point of an escape of `n` digits in `base` at `at`; nullopt if there are fewer or it is no character.
std::optional<uint32_t> digits(std::string_view text, std::size_t at, std::size_t n, int base) {
  if (at + n > text.size()) return std::nullopt;
  uint32_t value = 0;
  const auto result = std::from_chars(text.data() + at, text.data() + at + n, value, base);
  if (result.ec != std::errc() || result.ptr != text.data() + at + n) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> unescape(std::string_view literal, std::string& out) {
  uint32_t high = 0;  // of a surrogate pair, waiting for the low half
  for (std::size_t at = 0; at < literal.size();) {
    if (literal[at] != '\\') {
      if (high) return "a surrogate stands alone";
      out += literal[at++];
      continue;
    }
    if (at + 1 >= literal.size()) return "\\ at end of string";
    const char kind = literal[at + 1];
    if (const std::size_t n = hex_digits(kind)) {
      const auto c = digits(literal, at + 2, n, 16);
      if (!c) return fmt::format("truncated \\{}{} escape", kind, std::string(n, 'X'));
      if (*c >= 0x110000) return "illegal Unicode character";
      at += 2 + n;
      if (high != 0 && *c >= 0xDC00 && *c < 0xE000) {
        append_utf8(0x10000 + ((high - 0xD800) << 10) + (*c - 0xDC00), out);
        high = 0;
      } else if (high != 0 || (*c >= 0xDC00 && *c < 0xE000)) {
        return "a surrogate stands alone";
      } else if (*c >= 0xD800 && *c < 0xDC00) {
        high = *c;
      } else {
        append_utf8(*c, out);
      }
      continue;
    }
    if (high) return "a surrogate stands alone";
    // A table of all 150,000 names would be needed; no template that was tried has this escape.
    if (kind == 'N') return "\\N{...} escapes are not available; write the character or \\uXXXX";
    if (kind >= '0' && kind <= '7') {
      std::size_t n = 1;
      while (n < 3 && at + 1 + n < literal.size() && literal[at + 1 + n] >= '0' && literal[at + 1 + n] <= '7')
        ++n;
      append_utf8(*digits(literal, at + 1, n, 8), out);
      at += 1 + n;
      continue;
    }
    if (kind == '\n') {  // a line continued
      at += 2;
      continue;
    }
    if (const char simple = simple_escape(kind)) {
      out += simple;
      at += 2;
      continue;
    }
    out += '\\';
    ++at;
  }
  if (high) return "a surrogate stands alone";
  return std::nullopt;
}

}  // namespace kelda::jinja
