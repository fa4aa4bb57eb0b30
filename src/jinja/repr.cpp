#include "jinja/repr.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "jinja/object.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

void append_escaped(uint32_t c, std::string& out) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (c < 0x100) {
    out += fmt::format("\\x{:02x}", c);
  } else if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", c);
  } else {
    out += fmt::format("\\U{:08x}", c);
  }
}

char quote_for(std::string_view text) {
  return text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
}

// The quoted text; every byte that stands for a character of `text` has that character's provenance.
void append_quoted(const Text& text, Provenance quotes, Text& out) {
  const char quote = quote_for(text.bytes());
  const std::string_view all = text.bytes();
  out.append(std::string_view(&quote, 1), quotes);
  std::size_t plain = 0;  // begin of what is copied as it is
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(at));
    const bool character = c.kind == Utf8Sequence::Kind::kCharacter;
    const bool escaped = c.code_point == static_cast<uint32_t>(quote) || c.code_point == '\\';
    if (!character || escaped || !is(CharClass::kPrintable, c.code_point)) {
      out.append(text, plain, at);
      std::string escape;
      if (escaped) {
        escape = {'\\', static_cast<char>(c.code_point)};
      } else {
        append_escaped(character ? c.code_point : static_cast<uint8_t>(all[at]), escape);
      }
      out.append(escape, text.provenance(at, at + c.length));
      plain = at + c.length;
    }
    at += c.length;
  }
  out.append(text, plain, all.size());
  out.append(std::string_view(&quote, 1), quotes);
}

void append_items(Runtime& rt, const Value& value, Text& out) {
  const Provenance p = value.provenance();
  out.append(value.is_list() ? "[" : "(", p);
  bool first = true;
  for (const Value& item : value.items()) {
    if (!first) out.append(", ", p);
    first = false;
    append_repr(rt, item, out);
  }
  if (value.is_tuple() && value.items().size() == 1) out.append(",", p);
  out.append(value.is_list() ? "]" : ")", p);
}

void append_dict(Runtime& rt, const Value& value, Text& out) {
  const Provenance p = value.provenance();
  out.append("{", p);
  bool first = true;
  for (const auto& [key, item] : value.as_dict().items()) {
    if (!first) out.append(", ", p);
    first = false;
    append_repr(rt, key, out);
    out.append(": ", p);
    append_repr(rt, item, out);
  }
  out.append("}", p);
}

}  // namespace

std::string quote_python(std::string_view text) {
  Text out;
  append_quoted(Text(std::string(text), Provenance::kInput), Provenance::kInput, out);
  return std::move(out).take_bytes();
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, end, exponent);
  if (exponent < -4 || exponent >= 16) {
    return fmt::format("{}e{}{:02}", text.substr(0, e), exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string out(buffer, fixed);
  if (out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string short_repr(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kString:
      return quote_python(value.str());
    case Value::Kind::kNone:
      return "None";
    case Value::Kind::kBool:
      return value.as_bool() ? "True" : "False";
    case Value::Kind::kInt:
      return std::to_string(value.as_int());
    case Value::Kind::kBigInt:
      return value.digits();
    case Value::Kind::kFloat:
      return float_repr(value.as_double());
    case Value::Kind::kUndefined:
      return "Undefined";
    default:
      return fmt::format("<{}>", type_name(value));
  }
}

void append_repr(Runtime& rt, const Value& value, Text& out) {
  const Budget::Level level(rt.budget());
  rt.budget().step();
  rt.budget().want(2 * out.size());
  switch (value.kind()) {
    case Value::Kind::kString:
      rt.budget().walk(value.str().size());
      rt.budget().want(2 * (out.size() + 4 * value.str().size()));
      if (value.is_markup()) out.append("Markup(", Provenance::kOwned);
      append_quoted(value.as_text(), value.provenance(), out);
      if (value.is_markup()) out.append(")", Provenance::kOwned);
      return;
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return append_items(rt, value, out);
    case Value::Kind::kDict:
      return append_dict(rt, value, out);
    case Value::Kind::kObject:
      return out.append(value.as_object().repr(rt), Provenance::kInput);
    default:
      return out.append(short_repr(value), value.provenance());
  }
}

Text to_repr(Runtime& rt, const Value& value) {
  Text out;
  append_repr(rt, value, out);
  return out;
}

Text to_text(Runtime& rt, const Value& value) {
  if (value.is_string()) {
    rt.budget().touch(value.str().size());
    rt.budget().want(value.str().size());
    return value.as_text();
  }
  if (value.is_undefined()) return {};
  return to_repr(rt, value);
}

Text to_ascii(Runtime& rt, const Value& value) {
  const Text repr = to_repr(rt, value);
  const std::string_view all = repr.bytes();
  rt.budget().want(5 * all.size());
  Text out;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(at));
    const uint32_t point = c.code_point;
    if (c.kind != Utf8Sequence::Kind::kCharacter || point < 0x80) {
      out.append(repr, at, at + c.length);
    } else {
      out.append(point < 0x100     ? fmt::format("\\x{:02x}", point)
                 : point < 0x10000 ? fmt::format("\\u{:04x}", point)
                                   : fmt::format("\\U{:08x}", point),
                 repr.provenance(at, at + c.length));
    }
    at += c.length;
  }
  return out;
}

}  // namespace kelda::jinja
