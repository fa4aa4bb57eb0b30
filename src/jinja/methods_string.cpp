// Methods of str that give new texts.
#include <algorithm>

#include "jinja/brace_format.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/html.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/search.h"
#include "jinja/text_case.h"
#include "jinja/text_ops.h"

namespace kelda::jinja {
namespace {

// A text argument; escaped where the string is marked as HTML.
Text argument(Runtime& rt, const Value& self, const Value& v, std::string_view what) {
  if (!v.is_string()) raise(Raised::kType, "{}, not {}", what, type_name(v));
  return self.is_markup() && !v.is_markup() ? escape_html(rt, v.as_text()) : v.as_text();
}

Value made(Runtime& rt, const Value& self, Text text) { return rt.text(std::move(text), self.is_markup()); }

Value upper(Runtime& rt, const Value& s, Bound&) {
  return made(rt, s, map_case(rt, s.as_text(), Case::kUpper));
}
Value lower(Runtime& rt, const Value& s, Bound&) {
  return made(rt, s, map_case(rt, s.as_text(), Case::kLower));
}
Value fold(Runtime& rt, const Value& s, Bound&) {
  return made(rt, s, map_case(rt, s.as_text(), Case::kFold));
}
Value capitalize_method(Runtime& rt, const Value& s, Bound&) {
  return made(rt, s, capitalize(rt, s.as_text()));
}
Value title(Runtime& rt, const Value& s, Bound&) { return made(rt, s, title_case(rt, s.as_text())); }
Value swap(Runtime& rt, const Value& s, Bound&) { return made(rt, s, swap_case(rt, s.as_text())); }

template <Side side>
Value strip_method(Runtime& rt, const Value& s, Bound& args) {
  const char* name = side == Side::kBoth ? "strip" : side == Side::kLeft ? "lstrip" : "rstrip";
  const Value* chars = args.given(0);
  if (!chars) return made(rt, s, strip(rt, s.as_text(), nullptr, side));
  if (!chars->is_string()) raise(Raised::kType, "{} arg must be None or str", name);
  const Text wanted = argument(rt, s, *chars, "");
  return made(rt, s, strip(rt, s.as_text(), &wanted, side));
}

Value listed(Runtime& rt, const Value& s, std::vector<Value> parts) {
  if (s.is_markup()) {
    for (Value& part : parts) part = rt.text(part.as_text(), true);
  }
  return rt.list(std::move(parts), Provenance::kOwned);
}

template <bool from_right>
Value split_method(Runtime& rt, const Value& s, Bound& args) {
  const int64_t max = args.integer(1, -1);
  const Value* separator = args.given(0);
  if (!separator) return listed(rt, s, split_white(rt, s.as_text(), max, from_right));
  if (!separator->is_string()) raise(Raised::kType, "must be str or None, not {}", type_name(*separator));
  return listed(rt, s, split(rt, s.as_text(), separator->as_text(), max, from_right));
}

Value split_lines_method(Runtime& rt, const Value& s, Bound& args) {
  std::vector<Value> lines;
  for (Text& line : split_lines(rt, s.as_text(), args.truthy(rt, 0, false))) {
    lines.push_back(made(rt, s, std::move(line)));
  }
  return rt.list(std::move(lines), Provenance::kOwned);
}

template <bool from_right>
Value partition(Runtime& rt, const Value& s, Bound& args) {
  const Text separator = argument(rt, s, args[0], "must be str");
  if (separator.empty()) raise(Raised::kValue, "empty separator");
  rt.budget().touch(4 * s.str().size());
  if (from_right) rt.budget().want(s.str().size() + separator.size());
  const std::size_t at =
      from_right ? rfind_text(s.str(), separator.bytes()) : find_text(s.str(), separator.bytes());
  const Text& all = s.as_text();
  if (at == std::string_view::npos) {
    const Value none = made(rt, s, {});
    return from_right ? rt.tuple({none, none, s}, Provenance::kOwned)
                      : rt.tuple({s, none, none}, Provenance::kOwned);
  }
  const std::size_t end = at + separator.size();
  return rt.tuple({made(rt, s, all.slice(0, at)), made(rt, s, all.slice(at, end)),
                   made(rt, s, all.slice(end, all.size()))},
                  Provenance::kOwned);
}

Value replace_method(Runtime& rt, const Value& s, Bound& args) {
  constexpr std::string_view kFirst = "replace() argument 1 must be str",
                             kSecond = "replace() argument 2 must be str";
  const Text from = argument(rt, s, args[0], kFirst), to = argument(rt, s, args[1], kSecond);
  return made(rt, s, replace(rt, s.as_text(), from, to, args.integer(2, -1)));
}

Value join_method(Runtime& rt, const Value& s, Bound& args) {
  if (!is_iterable(args[0])) raise(Raised::kType, "can only join an iterable");
  TextJoiner all(rt, s.as_text());
  int64_t n = 0;
  for_each(rt, args[0], [&](const Value& item) {
    if (!item.is_string() && !s.is_markup()) {
      raise(Raised::kType, "sequence item {}: expected str instance, {} found", n, type_name(item));
    }
    ++n;
    all.add(s.is_markup() ? escaped_text(rt, item) : item.as_text());
    return true;
  });
  return made(rt, s, all.take());
}

Value format(Runtime& rt, const Value& s, Bound& args) { return brace_format(rt, s, args.all()); }

Value format_map(Runtime& rt, const Value& s, Bound& args) {
  Args named;
  if (args[0].is_dict()) {
    rt.budget().step(static_cast<int64_t>(args[0].as_dict().size()));
    rt.budget().want(args[0].as_dict().memory());
    named.keyword = args[0].as_dict();
  }
  return brace_format(rt, s, named);
}

template <bool prefix>
Value remove_affix(Runtime& rt, const Value& s, Bound& args) {
  const Text affix = argument(
      rt, s, args[0], prefix ? "removeprefix() argument must be str" : "removesuffix() argument must be str");
  const Text& all = s.as_text();
  if (prefix && s.str().starts_with(affix.bytes())) return made(rt, s, all.slice(affix.size(), all.size()));
  if (!prefix && s.str().ends_with(affix.bytes()))
    return made(rt, s, all.slice(0, all.size() - affix.size()));
  return s;
}

}  // namespace

Table string_methods() {
  static const Row rows[] = {
      {"upper", upper, {}},
      {"lower", lower, {}},
      {"casefold", fold, {}},
      {"capitalize", capitalize_method, {}},
      {"title", title, {}},
      {"swapcase", swap, {}},
      {"strip", strip_method<Side::kBoth>, {{"chars"}}},
      {"lstrip", strip_method<Side::kLeft>, {{"chars"}}},
      {"rstrip", strip_method<Side::kRight>, {{"chars"}}},
      {"split", split_method<false>, {{"sep"}, {"maxsplit"}}},
      {"rsplit", split_method<true>, {{"sep"}, {"maxsplit"}}},
      {"splitlines", split_lines_method, {{"keepends"}}},
      {"partition", partition<false>, {{"sep", true}}},
      {"rpartition", partition<true>, {{"sep", true}}},
      {"replace", replace_method, {{"old", true}, {"new", true}, {"count"}}},
      {"join", join_method, {{"iterable", true}}},
      {"format", format, {}, true},
      {"format_map", format_map, {{"mapping", true}}},
      {"removeprefix", remove_affix<true>, {{"prefix", true}}},
      {"removesuffix", remove_affix<false>, {{"suffix", true}}},
  };
  return rows;
}

}  // namespace kelda::jinja
