// Methods of str that answer questions.
#include <algorithm>

#include "jinja/access.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/runtime.h"
#include "jinja/search.h"
#include "jinja/text_query.h"

namespace kelda::jinja {
namespace {

// The bytes [begin, end) that the start and end arguments number i and i + 1 select.
struct Range {
  std::size_t begin, end, first_char;
  bool valid;  // false: start is behind the end
};

Range range_of(Runtime& rt, const Value& s, const Bound& args, std::size_t i) {
  const auto n = static_cast<int64_t>(s.n_chars());
  const auto bound = [&](std::size_t at, int64_t otherwise) {
    const Value* v = args.given(at);
    if (!v) return otherwise;
    if (!v->is_integral())
      raise(Raised::kType, "slice indices must be integers or None or have an __index__ method");
    return v->as_int() < 0 ? std::max<int64_t>(0, v->as_int() < -n ? 0 : v->as_int() + n) : v->as_int();
  };
  const int64_t first = bound(i, 0), last = std::min(bound(i + 1, n), n);
  if (first > last) return {0, 0, 0, false};
  const auto from = static_cast<std::size_t>(first), to = static_cast<std::size_t>(last);
  if (s.n_chars() == s.str().size()) return {from, to, from, true};
  if (first == 0 && last == n) return {0, s.str().size(), 0, true};
  rt.budget().walk(s.str().size());
  const std::size_t begin = char_offset(s.str(), from);
  return {begin, begin + char_offset(s.str().substr(begin), to - from), from, true};
}

const Value& text_argument(const Value& v) {
  if (!v.is_string()) raise(Raised::kType, "must be str, not {}", type_name(v));
  return v;
}

// Character number of the first or last place, −1 if there is none.
int64_t place_of(Runtime& rt, const Value& s, const Bound& args, bool from_right) {
  const std::string_view wanted = text_argument(args[0]).str();
  rt.budget().touch(4 * s.str().size());
  const Range r = range_of(rt, s, args, 1);
  if (!r.valid) return -1;
  const std::string_view inside = s.str().substr(r.begin, r.end - r.begin);
  if (from_right) rt.budget().want(s.str().size() + wanted.size());
  const std::size_t at = from_right ? rfind_text(inside, wanted) : find_text(inside, wanted);
  if (at == std::string_view::npos) return -1;
  return static_cast<int64_t>(r.first_char + count_chars(inside.substr(0, at)));
}

template <bool from_right>
Value find(Runtime& rt, const Value& s, Bound& args) {
  return Value::integer(place_of(rt, s, args, from_right));
}

template <bool from_right>
Value index(Runtime& rt, const Value& s, Bound& args) {
  const int64_t at = place_of(rt, s, args, from_right);
  if (at < 0) raise(Raised::kValue, "substring not found");
  return Value::integer(at);
}

Value count(Runtime& rt, const Value& s, Bound& args) {
  const std::string_view wanted = text_argument(args[0]).str();
  rt.budget().touch(4 * s.str().size());
  const Range r = range_of(rt, s, args, 1);
  if (!r.valid) return Value::integer(0);
  const std::string_view inside = s.str().substr(r.begin, r.end - r.begin);
  if (wanted.empty()) return Value::integer(static_cast<int64_t>(count_chars(inside)) + 1);
  int64_t n = 0;
  for (std::size_t at = 0; (at = find_text(inside, wanted, at)) != std::string_view::npos;
       at += wanted.size())
    ++n;
  return Value::integer(n);
}

template <bool prefix>
Value begins_or_ends(Runtime& rt, const Value& s, Bound& args) {
  const char* name = prefix ? "startswith" : "endswith";
  const Range r = range_of(rt, s, args, 1);
  const std::string_view inside = r.valid ? s.str().substr(r.begin, r.end - r.begin) : std::string_view();
  const auto matches = [&](const Value& v) {
    return r.valid && (prefix ? inside.starts_with(v.str()) : inside.ends_with(v.str()));
  };
  if (args[0].is_tuple()) {
    for (const Value& v : args[0].items()) {
      if (!v.is_string()) {
        raise(Raised::kType, "tuple for {} must only contain str, not {}", name, type_name(v));
      }
      rt.budget().touch(v.str().size());
      if (matches(v)) return Value::boolean(true);
    }
    return Value::boolean(false);
  }
  if (!args[0].is_string()) {
    raise(Raised::kType, "{} first arg must be str or a tuple of str, not {}", name, type_name(args[0]));
  }
  rt.budget().touch(args[0].str().size());
  return Value::boolean(matches(args[0]));
}

template <bool (*question)(std::string_view)>
Value ask(Runtime& rt, const Value& s, Bound&) {
  rt.budget().walk(s.str().size());
  return Value::boolean(question(s.str()));
}

template <CharClass wanted>
bool all_of_class(std::string_view text) {
  return all_are(text, wanted);
}
bool is_printable(std::string_view text) { return text.empty() || all_are(text, CharClass::kPrintable); }

}  // namespace

Table string_query_methods() {
  static const std::vector<Param> place = {{"sub", true}, {"start"}, {"end"}};
  static const Row rows[] = {
      {"find", find<false>, place},
      {"rfind", find<true>, place},
      {"index", index<false>, place},
      {"rindex", index<true>, place},
      {"count", count, place},
      {"startswith", begins_or_ends<true>, place},
      {"endswith", begins_or_ends<false>, place},
      {"isalpha", ask<all_of_class<CharClass::kAlpha>>, {}},
      {"isdecimal", ask<all_of_class<CharClass::kDecimal>>, {}},
      {"isdigit", ask<all_of_class<CharClass::kDigit>>, {}},
      {"isnumeric", ask<all_of_class<CharClass::kNumeric>>, {}},
      {"isspace", ask<all_of_class<CharClass::kSpace>>, {}},
      {"isalnum", ask<is_all_alnum>, {}},
      {"islower", ask<is_lower_case>, {}},
      {"isupper", ask<is_upper_case>, {}},
      {"istitle", ask<is_title_case>, {}},
      {"isidentifier", ask<is_python_identifier>, {}},
      {"isprintable", ask<is_printable>, {}},
      {"isascii", ask<is_ascii>, {}},
  };
  return rows;
}

}  // namespace kelda::jinja
