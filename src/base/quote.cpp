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

}  // namespace

std::string quote(std::string_view text, std::size_t max_bytes) {
  std::string out = "\"";
  std::size_t i = 0;
  while (i < text.size()) {
    const Utf8Sequence s = next_utf8(text.substr(i));
    if (s.length > max_bytes - i) break;
    const std::string_view part = text.substr(i, s.length);
    if (s.kind != Utf8Sequence::Kind::kCharacter || is_control(s.code_point)) {
      for (const char c : part)
        fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      if (part == "\"" || part == "\\") out += '\\';
      out += part;
    }
    i += s.length;
  }
  if (i < text.size()) out += "…";
  return out + '"';
}

}  // namespace kelda
