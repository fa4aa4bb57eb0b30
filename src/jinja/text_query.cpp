#include "jinja/text_query.h"

namespace kelda::jinja {
namespace {

template <typename F>
bool every(std::string_view text, F f) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Sequence c = next_utf8(text.substr(at));
    if (!f(c.code_point)) return false;
    at += c.length;
  }
  return true;
}

bool has_one_case(std::string_view text, CharClass wanted, CharClass other) {
  bool any = false;
  const bool none_other = every(text, [&](uint32_t c) {
    any = any || is(wanted, c);
    return !is(other, c) && !is(CharClass::kTitle, c);
  });
  return none_other && any;
}

}  // namespace

bool all_are(std::string_view text, CharClass wanted) {
  return !text.empty() && every(text, [wanted](uint32_t c) { return is(wanted, c); });
}

bool is_lower_case(std::string_view text) { return has_one_case(text, CharClass::kLower, CharClass::kUpper); }
bool is_upper_case(std::string_view text) { return has_one_case(text, CharClass::kUpper, CharClass::kLower); }

bool is_title_case(std::string_view text) {
  bool inside = false, any = false;
  const bool fine = every(text, [&](uint32_t c) {
    const bool capital = is(CharClass::kUpper, c) || is(CharClass::kTitle, c),
               small = is(CharClass::kLower, c);
    if ((capital && inside) || (small && !inside)) return false;
    inside = capital || small;
    any = any || inside;
    return true;
  });
  return fine && any;
}

bool is_all_alnum(std::string_view text) { return !text.empty() && every(text, is_alnum); }

bool is_python_identifier(std::string_view text) {
  if (text.empty()) return false;
  const Utf8Sequence first = next_utf8(text);
  return is_identifier_start(first.code_point) && every(text.substr(first.length), is_identifier_part);
}

}  // namespace kelda::jinja
