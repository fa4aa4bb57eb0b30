// Filters on text.
#include <algorithm>

#include "jinja/access.h"
#include "jinja/brace_format.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/operators.h"
#include "jinja/percent_format.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/text_case.h"
#include "jinja/text_ops.h"
#include "jinja/wrap.h"

namespace kelda::jinja {
namespace {

Value same_kind(Runtime& rt, const Value& self, Text text) {
  return rt.text(std::move(text), self.is_markup());
}

Value upper(Runtime& rt, const Value& self, Bound&) {
  return same_kind(rt, self, map_case(rt, to_text(rt, self), Case::kUpper));
}
Value lower(Runtime& rt, const Value& self, Bound&) {
  return same_kind(rt, self, map_case(rt, to_text(rt, self), Case::kLower));
}
Value capitalize_filter(Runtime& rt, const Value& self, Bound&) {
  return same_kind(rt, self, capitalize(rt, to_text(rt, self)));
}

// Words begin after white space and - ( { [ <, unlike in str.title().
Value title(Runtime& rt, const Value& self, Bound&) {
  const Text text = to_text(rt, self);
  const std::string_view all = text.bytes();
  rt.budget().walk(4 * all.size());
  Text out;
  const auto starts = [](uint32_t c) {
    return is(CharClass::kSpace, c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  for (std::size_t at = 0; at < all.size();) {
    const bool word = !starts(next_utf8(all.substr(at)).code_point);
    std::size_t end = at;
    while (end < all.size() && starts(next_utf8(all.substr(end)).code_point) != word) {
      end += next_utf8(all.substr(end)).length;
    }
    rt.budget().step();
    if (word) {
      const std::size_t first = at + next_utf8(all.substr(at)).length;
      out.append(map_case(rt, text.slice(at, first), Case::kUpper));
      out.append(map_case(rt, text.slice(first, end), Case::kLower));
    } else {
      out.append(text, at, end);
    }
    at = end;
  }
  return rt.text(std::move(out));
}

Value string(Runtime& rt, const Value& self, Bound&) {
  return self.is_string() ? self : rt.text(to_text(rt, self));
}

Value trim(Runtime& rt, const Value& self, Bound& args) {
  const Value* chars = args.given(0);
  if (chars && !chars->is_string()) raise(Raised::kType, "strip arg must be None or str");
  return same_kind(rt, self, strip(rt, to_text(rt, self), chars ? &chars->as_text() : nullptr, Side::kBoth));
}

Value replace_filter(Runtime& rt, const Value& self, Bound& args) {
  const Text from = to_text(rt, args[0]), to = to_text(rt, args[1]);
  const int64_t max = args.given(2) ? args.integer(2, -1) : -1;
  return rt.text(replace(rt, to_text(rt, self), from, to, max));
}

Value center(Runtime& rt, const Value& self, Bound& args) {
  const Text text = to_text(rt, self);
  const auto n = static_cast<int64_t>(count_chars(text.bytes()));
  const int64_t width = args.integer(0, 80);
  if (width <= n) return same_kind(rt, self, text);
  const int64_t missing = width - n;
  rt.budget().want(static_cast<std::size_t>(missing));
  const int64_t left = missing / 2 + (missing & width & 1);
  Text out;
  out.append(std::string(static_cast<std::size_t>(left), ' '), Provenance::kOwned);
  out.append(text);
  out.append(std::string(static_cast<std::size_t>(missing - left), ' '), Provenance::kOwned);
  return same_kind(rt, self, std::move(out));
}

Value format(Runtime& rt, const Value& self, Bound& args) {
  const Args& all = args.all();
  if (!all.positional.empty() && all.keyword.size() > 0) {
    raise(Raised::kOther, "can't handle positional and keyword arguments at the same time");
  }
  const Value text = self.is_string() ? self : rt.text(to_text(rt, self));
  if (all.keyword.size() == 0) return percent_format(rt, text, rt.tuple(all.positional, Provenance::kOwned));
  return percent_format(rt, text, rt.dict(all.keyword, Provenance::kOwned));
}

Value indent(Runtime& rt, const Value& self, Bound& args) {
  Text indention;
  if (const Value* width = args.get(0); width && width->is_string()) {
    indention = width->as_text();
  } else {
    const int64_t n = std::max<int64_t>(0, args.integer(0, 4));
    rt.budget().want(static_cast<std::size_t>(n));
    indention.append(std::string(static_cast<std::size_t>(n), ' '), Provenance::kOwned);
  }
  const bool first = args.truthy(rt, 1, false), blank = args.truthy(rt, 2, false);
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (self.is_list()) raise(Raised::kOther, "'list' object has no attribute 'splitlines'");
  if (self.is_tuple()) raise(Raised::kType, "can only concatenate tuple (not \"str\") to tuple");
  if (!self.is_string()) {
    raise(Raised::kType, "unsupported operand type(s) for +=: '{}' and 'str'", type_name(self));
  }
  // The ends of lines stand for those of the text.
  const Provenance p = self.provenance();
  const Value whole = add(rt, self, rt.string("\n", p));
  Text out;
  bool begin = true;
  for (const Text& line : split_lines(rt, whole.as_text(), false)) {
    rt.budget().touch(line.size() + indention.size());
    rt.budget().want(2 * (out.size() + line.size() + indention.size()));
    if (!begin) out.append("\n", p);
    if (begin ? first : blank || !line.empty()) out.append(indention);
    out.append(line);
    begin = false;
  }
  return same_kind(rt, self, std::move(out));
}

Value truncate(Runtime& rt, const Value& self, Bound& args) {
  const int64_t length = args.integer(0, 255);
  const bool kill_words = args.truthy(rt, 1, false);
  const Value end = args.get(2) ? args[2] : rt.string("...", Provenance::kOwned);
  const int64_t leeway = args.given(3) ? args.integer(3, 5) : 5;
  const auto n_end = static_cast<int64_t>(rt.length(end));
  if (length < n_end) raise(Raised::kOther, "expected length >= {}, got {}", n_end, length);
  if (leeway < 0) raise(Raised::kOther, "expected leeway >= 0, got {}", leeway);
  const auto n = static_cast<int64_t>(rt.length(self));
  if (n <= leeway || n - leeway <= length) return self;
  const Value kept = get_slice(rt, self, Value::none(), Value::integer(length - n_end), Value::none());
  if (kill_words) return add(rt, kept, end);
  if (!kept.is_string()) raise(Raised::kOther, "'{}' object has no attribute 'rsplit'", type_name(kept));
  const Text space(" ", Provenance::kOwned);
  return add(rt, split(rt, kept.as_text(), space, 1, true)[0], end);
}

Value word_count(Runtime& rt, const Value& self, Bound&) {
  const Text text = to_text(rt, self);
  const std::string_view all = text.bytes();
  rt.budget().walk(all.size());
  int64_t n = 0;
  bool inside = false;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(at));
    const bool word = is_word(c.code_point);
    n += word && !inside;
    inside = word;
    at += c.length;
  }
  return Value::integer(n);
}

Value word_wrap(Runtime& rt, const Value& self, Bound& args) {
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (!self.is_string()) raise(Raised::kOther, "'{}' object has no attribute 'splitlines'", type_name(self));
  WrapOptions options;
  options.width = args.integer(0, 79);
  options.break_long_words = args.truthy(rt, 1, true);
  options.break_on_hyphens = args.truthy(rt, 3, true);
  const Value* given = args.given(2);
  if (given && given->is_undefined()) raise(Raised::kUndefined, "{}", given->undefined_message());
  if (given && !given->is_string()) {
    raise(Raised::kOther, "'{}' object has no attribute 'join'", type_name(*given));
  }
  const Text newline = given ? given->as_text() : Text("\n", Provenance::kOwned);
  // Between paragraphs the end of the line stands for that of the text.
  const Text paragraph_end = given ? newline : Text("\n", self.provenance());
  TextJoiner paragraphs(rt, paragraph_end);
  for (const Text& paragraph : split_lines(rt, self.as_text(), false)) {
    TextJoiner lines(rt, newline);
    for (const Text& line : wrap(rt, paragraph, options)) lines.add(line);
    paragraphs.add(lines.take());
  }
  return rt.text(paragraphs.take());
}

}  // namespace

Table string_filters() {
  static const Row rows[] = {
      {"upper", upper, {}},
      {"lower", lower, {}},
      {"capitalize", capitalize_filter, {}},
      {"title", title, {}},
      {"string", string, {}},
      {"trim", trim, {{"chars"}}},
      {"replace", replace_filter, {{"old", true}, {"new", true}, {"count"}}},
      {"center", center, {{"width"}}},
      {"format", format, {}, true},
      {"indent", indent, {{"width"}, {"first"}, {"blank"}}},
      {"truncate", truncate, {{"length"}, {"killwords"}, {"end"}, {"leeway"}}},
      {"wordcount", word_count, {}},
      {"wordwrap", word_wrap, {{"width"}, {"break_long_words"}, {"wrapstring"}, {"break_on_hyphens"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
