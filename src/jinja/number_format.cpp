#include "jinja/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "jinja/errors.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

constexpr int64_t kMaxPrecision = 1000;

std::string integer_digits(const Value& v, const FormatSpec& spec, std::string_view& prefix) {
  if (v.is(Value::Kind::kBigInt)) {
    if (spec.type != 'd' && spec.type != 0) raise(Raised::kLimit, "an integer does not fit in 64 bits");
    return v.digits().substr(v.digits().starts_with('-') ? 1 : 0);
  }
  const int64_t i = v.as_int();
  const uint64_t magnitude = i < 0 ? uint64_t{0} - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  switch (spec.type) {
    case 'x':
      if (spec.alternate) prefix = "0x";
      return fmt::format("{:x}", magnitude);
    case 'X':
      if (spec.alternate) prefix = "0X";
      return fmt::format("{:X}", magnitude);
    case 'o':
      if (spec.alternate) prefix = "0o";
      return fmt::format("{:o}", magnitude);
    case 'b':
      if (spec.alternate) prefix = "0b";
      return fmt::format("{:b}", magnitude);
    default:
      return fmt::format("{}", magnitude);
  }
}

// Like the type g, but with a digit after the point: so the exponent comes one digit earlier.
std::string general_digits(double magnitude, int precision) {
  std::string out = fmt::format("{:.{}e}", magnitude, precision - 1);
  const std::size_t e = out.find('e');
  const int exponent = std::atoi(out.c_str() + e + 1);
  if (exponent < -4 || exponent >= precision - 1) {
    const std::string power = out.substr(e);
    out.resize(e);
    if (out.find('.') != std::string::npos) {
      while (out.back() == '0') out.pop_back();
      if (out.back() == '.') out.pop_back();
    }
    return magnitude == 0 ? fmt::format("{:.1f}", 0.0) : out + power;
  }
  out = fmt::format("{:.{}g}", magnitude, precision);
  if (out.find('.') == std::string::npos) out += ".0";
  return out;
}

// Exponents as Python prints them: at least two digits, which fmt does too.
std::string float_digits(double magnitude, const FormatSpec& spec) {
  if (spec.precision > kMaxPrecision) raise(Raised::kValue, "precision too big (at most {})", kMaxPrecision);
  const auto precision = static_cast<int>(spec.precision < 0 ? 6 : spec.precision);
  const bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  std::string out;
  if (std::isnan(magnitude) || std::isinf(magnitude)) {
    out = fmt::format("{}{}", std::isnan(magnitude) ? "nan" : "inf", spec.type == '%' ? "%" : "");
  } else {
    switch (spec.type) {
      case 'e':
      case 'E':
        out = fmt::format("{:.{}e}", magnitude, precision);
        break;
      case 'f':
      case 'F':
        out = fmt::format("{:.{}f}", magnitude, precision);
        break;
      case '%':
        out = fmt::format("{:.{}f}%", magnitude * 100, precision);
        break;
      case 'g':
      case 'G':
        out = spec.alternate ? fmt::format("{:#.{}g}", magnitude, precision == 0 ? 1 : precision)
                             : fmt::format("{:.{}g}", magnitude, precision == 0 ? 1 : precision);
        break;
      default:  // no type: like repr, or like g with at least one digit after the point
        if (spec.precision < 0) {
          out = float_repr(magnitude);
        } else {
          out = general_digits(magnitude, precision == 0 ? 1 : precision);
        }
    }
  }
  if (upper) {
    for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return out;
}

// The first `n_whole` digits in groups, filled up in front with zeros until all have `width` characters.
std::string grouped(const std::string& digits, std::size_t n_whole, const FormatSpec& spec, std::size_t every,
                    std::size_t width) {
  const std::size_t rest = digits.size() - n_whole;
  std::size_t n = n_whole;
  if (n > 0 && width > rest) {
    const std::size_t wanted = width - rest;
    n = std::max(n, wanted - wanted / (every + 1));
    while (n + (n - 1) / every < wanted) ++n;  // at most once: a separator does not stand in front
  }
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && (n - i) % every == 0) out += spec.grouping;
    out += i < n - n_whole ? '0' : digits[i - (n - n_whole)];
  }
  return out + digits.substr(n_whole);
}

std::string one_character(const Value& v) {
  const int64_t c = v.is_integral() ? v.as_int() : -1;
  if (c < 0 || c >= 0x110000) raise(Raised::kOverflow, "%c arg not in range(0x110000)");
  if (c >= 0xD800 && c < 0xE000) raise(Raised::kValue, "a surrogate stands alone");
  std::string text;
  append_utf8(static_cast<uint32_t>(c), text);
  return text;
}

bool is_float_type(char type) {
  return type != 0 && std::string_view("eEfFgG%").find(type) != std::string_view::npos;
}

void check_type(const Value& v, const FormatSpec& spec) {
  const bool integer = !v.is(Value::Kind::kFloat);
  const std::string_view allowed = integer ? "bcdoxXneEfFgG%" : "neEfFgG%";
  if (spec.type != 0 && allowed.find(spec.type) == std::string_view::npos) {
    raise(Raised::kValue, "Unknown format code '{}' for object of type '{}'", spec.type,
          integer ? "int" : "float");
  }
  if (spec.grouping && spec.type != 0 &&
      std::string_view(spec.grouping == ',' ? "bcoxXn" : "cn").find(spec.type) != std::string_view::npos) {
    raise(Raised::kValue, "Cannot specify '{}' with '{}'.", spec.grouping, spec.type);
  }
  if (integer && !is_float_type(spec.type) && spec.precision >= 0) {
    raise(Raised::kValue, "Precision not allowed in integer format specifier");
  }
}

}  // namespace

std::string format_number(Runtime& rt, const Value& v, const FormatSpec& given) {
  FormatSpec spec = given;
  check_type(v, spec);
  if (spec.type == 'n') spec.type = v.is(Value::Kind::kFloat) ? 'g' : 'd';
  if (spec.type == 'c') return one_character(v);
  std::string_view prefix;
  std::string digits;
  bool negative = false, whole = true;
  if (v.is(Value::Kind::kFloat) || is_float_type(spec.type)) {
    const double d = v.as_double();
    negative = std::signbit(d) && !std::isnan(d);
    digits = float_digits(std::abs(d), spec);
    whole = false;
  } else {
    digits = integer_digits(v, spec, prefix);
    negative = v.is(Value::Kind::kBigInt) ? v.digits().starts_with('-') : v.as_int() < 0;
  }
  const std::string sign(negative || spec.sign != '-' ? 1 : 0, negative ? '-' : spec.sign);
  std::size_t width = 0;  // of the digits with what fills up between them and the sign
  if (spec.align == '=') {
    rt.budget().want_many(static_cast<uint64_t>(spec.width), 4);
    rt.budget().walk(4 * static_cast<std::size_t>(spec.width));
    const auto all = static_cast<std::size_t>(spec.width), front = sign.size() + prefix.size();
    width = all > front ? all - front : 0;
  }
  if (spec.grouping) {
    const bool by_four = spec.type == 'x' || spec.type == 'X' || spec.type == 'o' || spec.type == 'b';
    const std::size_t n_whole =
        whole ? digits.size() : std::min(digits.find_first_not_of("0123456789"), digits.size());
    digits = grouped(digits, n_whole, spec, by_four ? 4 : 3, spec.fill == '0' ? width : 0);
  }
  std::string fill;
  for (std::size_t i = digits.size(); i < width; ++i) append_utf8(spec.fill, fill);
  return fmt::format("{}{}{}{}", sign, prefix, fill, digits);
}

Text pad(Runtime& rt, const Text& body, const FormatSpec& spec, char default_align, Provenance p) {
  const auto n = static_cast<int64_t>(count_chars(body.bytes()));
  if (spec.width <= n) return body;
  const char align = spec.align == 0 || spec.align == '=' ? default_align : spec.align;
  const int64_t missing = spec.width - n;
  rt.budget().want_many(static_cast<uint64_t>(missing), 4);
  rt.budget().walk(4 * static_cast<std::size_t>(missing));
  const int64_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2;
  std::string fill;
  append_utf8(spec.fill, fill);
  Text out;
  for (int64_t i = 0; i < left; ++i) out.append(fill, p);
  out.append(body);
  for (int64_t i = left; i < missing; ++i) out.append(fill, p);
  return out;
}

namespace {
bool is_align(std::string_view text) {
  return !text.empty() && std::string_view("<>=^").find(text[0]) != std::string_view::npos;
}

int64_t digits_of(std::string_view& text) {
  int64_t value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = value * 10 + (text[0] - '0');
    if (value > INT32_MAX) raise(Raised::kValue, "Too many decimal digits in format string");
    text.remove_prefix(1);
  }
  return value;
}
}  // namespace

FormatSpec parse_format_spec(std::string_view text, std::string_view type_name) {
  FormatSpec spec;
  const std::string all(text);
  const std::size_t first = text.empty() ? 0 : next_utf8(text).length;
  bool has_fill = false;
  if (first > 0 && next_utf8(text).kind == Utf8Sequence::Kind::kCharacter && is_align(text.substr(first))) {
    spec.fill = next_utf8(text).code_point;
    spec.align = text[first];
    has_fill = true;
    text.remove_prefix(first + 1);
  } else if (is_align(text)) {
    spec.align = text[0];
    text.remove_prefix(1);
  }
  const auto take = [&text](std::string_view which) {
    if (text.empty() || which.find(text[0]) == std::string_view::npos) return '\0';
    const char c = text[0];
    text.remove_prefix(1);
    return c;
  };
  if (const char sign = take("+- ")) spec.sign = sign;
  spec.alternate = take("#") != 0;
  if (take("0") && !has_fill) {
    spec.fill = '0';
    if (spec.align == 0) spec.align = '=';
  }
  spec.width = digits_of(text);
  spec.grouping = take(",_");
  if (take(".")) {
    if (text.empty() || text[0] < '0' || text[0] > '9')
      raise(Raised::kValue, "Format specifier missing precision");
    spec.precision = digits_of(text);
  }
  if (!text.empty()) {
    spec.type = text[0];
    text.remove_prefix(1);
  }
  if (!text.empty())
    raise(Raised::kValue, "Invalid format specifier '{}' for object of type '{}'", all, type_name);
  return spec;
}

}  // namespace kelda::jinja
