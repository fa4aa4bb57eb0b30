#include "jinja/brace_format.h"

#include <algorithm>

#include "jinja/access.h"
#include "jinja/errors.h"
#include "jinja/html.h"
#include "jinja/number_format.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t index_of(std::string_view digits) {
  std::size_t value = 0;
  for (const char c : digits) {
    value = value * 10 + static_cast<std::size_t>(c - '0');
    if (value > INT32_MAX) raise(Raised::kValue, "Too many decimal digits in format string");
  }
  return value;
}

class Formatter {
 public:
  Formatter(Runtime& rt, bool markup, const Args& args) : rt_(rt), markup_(markup), args_(args) {}

  // Fields inside a specification may nest one level, as in Python.
  Text format(const Text& text, int levels) {
    if (levels < 0) raise(Raised::kValue, "Max string recursion exceeded");
    const std::string_view all = text.bytes();
    Text out;
    std::size_t plain = 0, at = 0;
    while ((at = all.find_first_of("{}", at)) != std::string_view::npos) {
      out.append(text, plain, at);
      const char c = all[at];
      rt_.budget().step(4);
      rt_.budget().want(2 * out.size());
      if (at + 1 < all.size() && all[at + 1] == c) {
        plain = at + 1;
        at += 2;
        continue;
      }
      if (c == '}') raise(Raised::kValue, "Single '}}' encountered in format string");
      if (at + 1 >= all.size()) raise(Raised::kValue, "Single '{{' encountered in format string");
      const std::size_t end = field_end(all, at + 1);
      out.append(field(text, at + 1, end, levels));
      at = plain = end + 1;
    }
    out.append(text, plain, all.size());
    return out;
  }

 private:
  static std::size_t field_end(std::string_view all, std::size_t at) {
    int open = 1;
    for (; at < all.size(); ++at) {
      if (all[at] == '{') ++open;
      if (all[at] == '}' && --open == 0) return at;
    }
    raise(Raised::kValue, "expected '}}' before end of string");
  }

  Text field(const Text& text, std::size_t begin, std::size_t end, int levels) {
    const std::string_view all = std::string_view(text.bytes()).substr(0, end);
    std::size_t name_end = begin;
    for (bool in_brackets = false; name_end < end; ++name_end) {
      const char c = all[name_end];
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      if (!in_brackets && (c == ':' || c == '!')) break;
      if (c == '{') raise(Raised::kValue, "unexpected '{{' in field name");
    }
    const Value value = lookup(all.substr(begin, name_end - begin));
    std::size_t at = name_end;
    char conversion = 0;
    if (at < end && all[at] == '!') {
      if (at + 1 >= end) raise(Raised::kValue, "unmatched '{{' in format spec");
      conversion = all[at + 1];
      at += 2;
      if (at < end && all[at] != ':') raise(Raised::kValue, "expected ':' after conversion specifier");
    }
    const Text spec = at < end ? format(text.slice(at + 1, end), levels - 1) : Text();
    return laid_out(value, conversion, spec, text.provenance(begin, end));
  }

  Value first(std::string_view name) {
    if (name.empty() || is_digits(name)) {
      if (name.empty() ? manual_ : automatic_) {
        raise(Raised::kValue, "cannot switch from manual field specification to automatic field numbering");
      }
      (name.empty() ? automatic_ : manual_) = true;
      const std::size_t index = name.empty() ? next_++ : index_of(name);
      if (index >= args_.positional.size()) raise(Raised::kLookup, "tuple index out of range");
      return args_.positional[index];
    }
    const Value* found = args_.keyword.find(name);
    if (!found) raise(Raised::kLookup, "{}", quote_python(name));
    return *found;
  }

  Value lookup(std::string_view path) {
    std::size_t at = std::min(path.find_first_of(".["), path.size());
    Value value = first(path.substr(0, at));
    while (at < path.size()) {
      if (path[at] == '.') {
        const std::size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
        if (end == at + 1) raise(Raised::kValue, "Empty attribute in format string");
        value = get_attribute(rt_, value,
                              rt_.string(std::string(path.substr(at + 1, end - at - 1)), Provenance::kInput));
        at = end;
      } else if (path[at] == '[') {
        const std::size_t end = path.find(']', at);
        if (end == std::string_view::npos) raise(Raised::kValue, "Missing ']' in format string");
        const std::string_view key = path.substr(at + 1, end - at - 1);
        if (key.empty()) raise(Raised::kValue, "Empty attribute in format string");
        value = get_item(rt_, value,
                         is_digits(key) ? Value::integer(static_cast<int64_t>(index_of(key)))
                                        : rt_.string(std::string(key), Provenance::kInput));
        at = end + 1;
      } else {
        raise(Raised::kValue, "Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  Text laid_out(const Value& value, char conversion, const Text& spec_text, Provenance p) {
    Value v = value;
    if (conversion == 'r' || conversion == 'a') {
      v = rt_.text(conversion == 'r' ? to_repr(rt_, v) : to_ascii(rt_, v));
    } else if (conversion == 's') {
      v = rt_.text(to_text(rt_, v), v.is_markup());
    } else if (conversion != 0) {
      raise(Raised::kValue, "Unknown conversion specifier {}", conversion);
    }
    if (spec_text.empty()) return markup_ ? escaped_text(rt_, v) : to_text(rt_, v);
    const Provenance padding = both(p, spec_text.provenance());
    const FormatSpec spec = parse_format_spec(spec_text.bytes(), type_name(v));
    if (v.is_bool()) v = Value::integer(v.as_int(), v.provenance());
    if (v.is_number()) {
      Text body;
      body.append(format_number(rt_, v, spec), both(padding, v.provenance()));
      return pad(rt_, body, spec, '>', padding);
    }
    if (!v.is_string()) {
      raise(Raised::kType, "unsupported format string passed to {}.__format__", type_name(v));
    }
    return string(v, spec, padding);
  }

  Text string(const Value& v, const FormatSpec& spec, Provenance padding) {
    if (spec.type != 0 && spec.type != 's') {
      raise(Raised::kValue, "Unknown format code '{}' for object of type 'str'", spec.type);
    }
    if (spec.sign != '-') raise(Raised::kValue, "Sign not allowed in string format specifier");
    if (spec.align == '=' && spec.fill != '0') {
      raise(Raised::kValue, "'=' alignment not allowed in string format specifier");
    }
    if (spec.grouping) raise(Raised::kValue, "Cannot specify '{}' with 's'.", spec.grouping);
    Text body = markup_ ? escaped_text(rt_, v) : to_text(rt_, v);
    if (spec.precision >= 0) {
      body = body.slice(0, char_offset(body.bytes(), static_cast<std::size_t>(spec.precision)));
    }
    return pad(rt_, body, spec, '<', padding);
  }

  Runtime& rt_;
  bool markup_;
  const Args& args_;
  std::size_t next_ = 0;
  bool automatic_ = false, manual_ = false;
};

}  // namespace

Value brace_format(Runtime& rt, const Value& format, const Args& args) {
  rt.budget().touch(format.str().size());
  return rt.text(Formatter(rt, format.is_markup(), args).format(format.as_text(), 1), format.is_markup());
}

}  // namespace kelda::jinja
