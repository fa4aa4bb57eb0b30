#include "jinja/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/space.h"
#include "jinja/unicode_tables.h"

namespace kelda::jinja {
namespace {

template <std::size_t n>
bool in(const tables::Range (&ranges)[n], uint32_t c) {
  const auto* after =
      std::upper_bound(ranges, ranges + n, c, [](uint32_t x, const tables::Range& r) { return x < r.first; });
  return after != ranges && c <= after[-1].last;
}

template <std::size_t n>
const tables::Mapping* find(const tables::Mapping (&mappings)[n], uint32_t c) {
  const auto* row = std::lower_bound(mappings, mappings + n, c,
                                     [](const tables::Mapping& m, uint32_t x) { return m.from < x; });
  return row != mappings + n && row->from == c ? row : nullptr;
}

utf8proc_category_t category(uint32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_printable(uint32_t c) {
  if (c == ' ') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_letter(utf8proc_category_t k) { return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO; }

}  // namespace

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
}

std::size_t count_chars(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); at += next_utf8(text.substr(at)).length) ++n;
  return n;
}

std::size_t char_offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) {
    at += static_cast<signed char>(text[at]) >= 0 ? 1 : next_utf8(text.substr(at)).length;
  }
  return at;
}

std::size_t previous_char(std::string_view text, std::size_t end) {
  for (std::size_t back = std::min<std::size_t>(4, end); back > 1; --back) {
    if (next_utf8(text.substr(end - back, back)).length == back) return end - back;
  }
  return end - 1;
}

bool is(CharClass wanted, uint32_t c) {
  const utf8proc_category_t k = category(c);
  switch (wanted) {
    case CharClass::kAlpha:
      return is_letter(k);
    case CharClass::kDecimal:
      return k == UTF8PROC_CATEGORY_ND;
    case CharClass::kDigit:
      return k == UTF8PROC_CATEGORY_ND || in(tables::kDigit, c);
    case CharClass::kNumeric:
      return (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) || in(tables::kNumeric, c);
    case CharClass::kSpace:
      return is_space(c);
    case CharClass::kLower:
      return k == UTF8PROC_CATEGORY_LL || in(tables::kOtherLower, c);
    case CharClass::kUpper:
      return k == UTF8PROC_CATEGORY_LU || in(tables::kOtherUpper, c);
    case CharClass::kTitle:
      return k == UTF8PROC_CATEGORY_LT;
    case CharClass::kCased:
      return is(CharClass::kLower, c) || is(CharClass::kUpper, c) || k == UTF8PROC_CATEGORY_LT;
    case CharClass::kPrintable:
      return is_printable(c);
  }
  return false;
}

bool is_identifier_start(uint32_t c) {
  return c == '_' || is_letter(category(c)) || category(c) == UTF8PROC_CATEGORY_NL;
}

bool is_identifier_part(uint32_t c) {
  const utf8proc_category_t k = category(c);
  return is_identifier_start(c) || k == UTF8PROC_CATEGORY_ND || k == UTF8PROC_CATEGORY_MN ||
         k == UTF8PROC_CATEGORY_MC || k == UTF8PROC_CATEGORY_PC;
}

void append_mapped(Case wanted, uint32_t c, std::string& out) {
  const tables::Mapping* special = wanted == Case::kUpper   ? find(tables::kUpper, c)
                                   : wanted == Case::kLower ? find(tables::kLower, c)
                                   : wanted == Case::kTitle ? find(tables::kTitle, c)
                                                            : find(tables::kFold, c);
  if (special) {
    for (const uint32_t to : special->to) {
      if (to) append_utf8(to, out);
    }
    return;
  }
  const auto signed_c = static_cast<utf8proc_int32_t>(c);
  const utf8proc_int32_t mapped = wanted == Case::kUpper   ? utf8proc_toupper(signed_c)
                                  : wanted == Case::kTitle ? utf8proc_totitle(signed_c)
                                                           : utf8proc_tolower(signed_c);
  append_utf8(static_cast<uint32_t>(mapped), out);
}

double parse_double(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small: the exponent's sign says which; digits alone are too large.
    const std::size_t e = text.find_first_of("eE");
    const bool small = e != std::string_view::npos ? text.substr(e + 1).starts_with('-')
                                                   : text.find('.') != std::string_view::npos &&
                                                         (text.starts_with("0.") || text.starts_with("-0."));
    value = small ? 0.0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -value : value;
  }
  return value;
}

}  // namespace kelda::jinja
