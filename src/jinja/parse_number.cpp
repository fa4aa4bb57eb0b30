#include "jinja/parse_number.h"

#include <cmath>
#include <limits>
#include <string>

#include "jinja/errors.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

// Without the white space around; decimal digits of other scripts as ASCII ones.
std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Sequence c = next_utf8(text);
    if (!is(CharClass::kSpace, c.code_point)) break;
    text.remove_prefix(c.length);
  }
  while (!text.empty()) {
    const std::size_t last = previous_char(text, text.size());
    if (!is(CharClass::kSpace, next_utf8(text.substr(last)).code_point)) break;
    text.remove_suffix(text.size() - last);
  }
  while (!text.empty()) {
    const Utf8Sequence c = next_utf8(text);
    if (c.code_point >= 0x80 && is(CharClass::kDecimal, c.code_point)) {
      // The ten digits of a script stand side by side, zero first, and so do the scripts of mathematics.
      uint32_t zero = c.code_point;
      while (is(CharClass::kDecimal, zero - 1)) --zero;
      out += static_cast<char>('0' + (c.code_point - zero) % 10);
    } else {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

bool drop_underscores(std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') {
      out += digits[i];
      continue;
    }
    const bool between = i > 0 && i + 1 < digits.size() &&
                         std::isalnum(static_cast<unsigned char>(digits[i - 1])) != 0 &&
                         std::isalnum(static_cast<unsigned char>(digits[i + 1])) != 0;
    if (!between) return false;
  }
  digits = out;
  return true;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if ((c | 32) >= 'a' && (c | 32) <= 'z') return (c | 32) - 'a' + 10;
  return 99;
}

}  // namespace

std::optional<int64_t> parse_int(std::string_view text, int base) {
  std::string digits = plain(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  const auto prefix_base = [&]() -> int {
    if (digits.size() < 2 || digits[0] != '0') return 0;
    const char kind = static_cast<char>(digits[1] | 32);
    return kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
  };
  const int prefixed = prefix_base();
  bool had_prefix = false;
  if (prefixed != 0 && (base == prefixed || base == 0)) {
    digits.erase(0, 2);
    if (digits.starts_with('_')) digits.erase(0, 1);
    base = prefixed;
    had_prefix = true;
  }
  if (base == 0) {
    base = 10;
    if (!had_prefix && digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of("0_") != std::string::npos) {
      return std::nullopt;
    }
  }
  if (digits.empty() || !drop_underscores(digits)) return std::nullopt;
  int64_t value = 0;
  for (const char c : digits) {
    if (digit_value(c) >= base) return std::nullopt;
  }
  for (const char c : digits) {
    const int d = digit_value(c);
    if (__builtin_mul_overflow(value, int64_t{base}, &value) ||
        __builtin_sub_overflow(value, int64_t{d}, &value)) {
      raise(Raised::kLimit, "an integer does not fit in 64 bits (templates compute with 64-bit integers)");
    }
  }
  if (!negative && __builtin_sub_overflow(int64_t{0}, value, &value)) {
    raise(Raised::kLimit, "an integer does not fit in 64 bits (templates compute with 64-bit integers)");
  }
  return value;
}

std::optional<double> parse_float(std::string_view text) {
  std::string all = plain(text);
  if (!drop_underscores(all)) return std::nullopt;
  std::string_view rest = all;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string lower(rest);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (lower == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    std::size_t at = 0, n_digits = 0;
    const auto digits = [&] {
      std::size_t n = 0;
      for (; at < lower.size() && lower[at] >= '0' && lower[at] <= '9'; ++at) ++n;
      return n;
    };
    n_digits = digits();
    if (at < lower.size() && lower[at] == '.') {
      ++at;
      n_digits += digits();
    }
    if (n_digits == 0) return std::nullopt;
    if (at < lower.size() && lower[at] == 'e') {
      ++at;
      if (at < lower.size() && (lower[at] == '+' || lower[at] == '-')) ++at;
      if (digits() == 0) return std::nullopt;
    }
    if (at != lower.size()) return std::nullopt;
    value = parse_double(lower);
  }
  return negative ? -value : value;
}

}  // namespace kelda::jinja
