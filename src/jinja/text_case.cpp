#include "jinja/text_case.h"

#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

bool is_case_ignorable(uint32_t c) {
  return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`' || c == 0xAD || c == 0xB7 || c == 0x2019 ||
         (c >= 0x300 && c <= 0x36F);
}

// A capital sigma ends a word if a cased character comes before and none after (case-ignorable ones skipped).
bool is_final_sigma(std::string_view all, std::size_t at, std::size_t length) {
  bool before = false;
  for (std::size_t p = at; p > 0;) {
    p = previous_char(all, p);
    const uint32_t c = next_utf8(all.substr(p)).code_point;
    if (is_case_ignorable(c)) continue;
    before = is(CharClass::kCased, c);
    break;
  }
  if (!before) return false;
  for (std::size_t p = at + length; p < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(p));
    if (!is_case_ignorable(c.code_point)) return !is(CharClass::kCased, c.code_point);
    p += c.length;
  }
  return true;
}

char ascii(char c, Case wanted) {
  if (wanted == Case::kLower || wanted == Case::kFold)
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

// Maps every character by choose(code point), which gives the case that it is to have.
template <typename Choose>
Text mapped(Runtime& rt, const Text& text, Choose choose) {
  const std::string_view all = text.bytes();
  rt.budget().walk(all.size());
  rt.budget().want(3 * all.size());
  if (is_ascii(all)) {
    std::string bytes(all);
    for (char& c : bytes) c = ascii(c, choose(static_cast<unsigned char>(c)));
    return text.with_bytes(std::move(bytes));
  }
  Text out;
  out.reserve(all.size());
  std::string piece;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(at));
    if (c.kind != Utf8Sequence::Kind::kCharacter) {
      out.append(text, at, at + c.length);
      at += c.length;
      continue;
    }
    const Case wanted = choose(c.code_point);
    piece.clear();
    if (c.code_point == 0x3A3 && wanted == Case::kLower && is_final_sigma(all, at, c.length)) {
      piece = "\xCF\x82";
    } else {
      append_mapped(wanted, c.code_point, piece);
    }
    out.append(piece, text.provenance(at, at + c.length));
    at += c.length;
  }
  return out;
}

}  // namespace

Text map_case(Runtime& rt, const Text& text, Case wanted) {
  return mapped(rt, text, [wanted](uint32_t) { return wanted; });
}

Text capitalize(Runtime& rt, const Text& text) {
  bool first = true;
  return mapped(rt, text,
                [&first](uint32_t) { return std::exchange(first, false) ? Case::kTitle : Case::kLower; });
}

// A letter of both cases, as "ǅ" is, stays: it is its own title form.
Text swap_case(Runtime& rt, const Text& text) {
  return mapped(rt, text, [](uint32_t c) {
    return is(CharClass::kUpper, c) ? Case::kLower : is(CharClass::kLower, c) ? Case::kUpper : Case::kTitle;
  });
}

Text title_case(Runtime& rt, const Text& text) {
  bool inside = false;
  return mapped(rt, text, [&inside](uint32_t c) {
    const Case wanted = inside ? Case::kLower : Case::kTitle;
    inside = is(CharClass::kCased, c);
    return wanted;
  });
}

}  // namespace kelda::jinja
