#include "base/quote.h"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.h"

namespace kelda {
namespace {

// Control characters: U+0000 to U+001F, and U+007F to U+009F, among which terminals know escape sequences.
bool is_control(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

bool is_unsafe(const Utf8Sequence& s) {
  return s.kind != Utf8Sequence::Kind::kCharacter || is_control(s.code_point);
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (const char c : bytes)
    fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
}

}  // namespace

std::string quote(std::string_view text, std::size_t max_bytes) {
  std::string out = "\"";
  std::size_t i = 0;
  while (i < text.size()) {
    const Utf8Sequence s = next_utf8(text.substr(i));
    if (s.length > max_bytes - i) break;
    const std::string_view part = text.substr(i, s.length);
    if (is_unsafe(s)) {
      append_escaped(part, out);
    } else {
      if (part == "\"" || part == "\\") out += '\\';
      out += part;
    }
    i += s.length;
  }
  if (i < text.size()) out += "…";
  return out + '"';
}

std::string escape_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Sequence s = next_utf8(text);
    const std::string_view part = text.substr(0, s.length);
    if (is_unsafe(s) && part != "\n") {
      append_escaped(part, out);
    } else {
      out += part;
    }
    text.remove_prefix(s.length);
  }
  return out;
}

}  // namespace kelda
