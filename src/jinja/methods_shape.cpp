// Methods of str that lay a text out in a width.
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

Text filled(Runtime& rt, const Value& s, int64_t left, int64_t right, const Text& fill) {
  const auto n = static_cast<std::size_t>(left + right);
  rt.budget().want_many(n, fill.size());
  rt.budget().walk(4 * n);
  Text out;
  for (int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(s.as_text());
  for (int64_t i = 0; i < right; ++i) out.append(fill);
  return out;
}

enum class Place { kLeft, kRight, kCenter };

template <Place place>
Value justify(Runtime& rt, const Value& s, Bound& args) {
  const Text blank(" ", Provenance::kOwned);
  const Text& fill = args.text(1, blank);
  if (count_chars(fill.bytes()) != 1)
    raise(Raised::kType, "The fill character must be exactly one character long");
  const auto n = static_cast<int64_t>(s.n_chars());
  const int64_t width = args.integer(0, 0);
  if (width <= n) return s;
  const int64_t missing = width - n;
  rt.budget().want(static_cast<std::size_t>(missing));
  const int64_t left = place == Place::kLeft    ? 0
                       : place == Place::kRight ? missing
                                                : missing / 2 + (missing & width & 1);
  return rt.text(filled(rt, s, left, missing - left, fill), s.is_markup());
}

Value zero_fill(Runtime& rt, const Value& s, Bound& args) {
  const auto n = static_cast<int64_t>(s.n_chars());
  const int64_t width = args.integer(0, 0);
  if (width <= n) return s;
  const auto missing = static_cast<std::size_t>(width - n);
  rt.budget().want(missing);
  rt.budget().touch(missing);
  const bool sign = s.str().starts_with('-') || s.str().starts_with('+');
  Text out;
  out.append(s.as_text(), 0, sign ? 1 : 0);
  out.append(std::string(missing, '0'), Provenance::kOwned);
  out.append(s.as_text(), sign ? 1 : 0, s.str().size());
  return rt.text(std::move(out), s.is_markup());
}

Value expand_tabs(Runtime& rt, const Value& s, Bound& args) {
  const int64_t size = args.integer(0, 8);
  const std::string_view all = s.str();
  rt.budget().walk(all.size());
  Text out;
  int64_t column = 0;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t n = next_utf8(all.substr(at)).length;
    if (all[at] == '\t') {
      if (size > 0) {
        const int64_t blanks = size - column % size;
        rt.budget().want_many(static_cast<uint64_t>(blanks), 2);
        rt.budget().want(2 * (out.size() + static_cast<std::size_t>(blanks)));
        rt.budget().touch(static_cast<std::size_t>(blanks));
        out.append(std::string(static_cast<std::size_t>(blanks), ' '), s.as_text().provenance(at, at + 1));
        column += blanks;
      }
    } else {
      out.append(s.as_text(), at, at + n);
      column = all[at] == '\n' || all[at] == '\r' ? 0 : column + 1;
    }
    at += n;
  }
  return rt.text(std::move(out), s.is_markup());
}

}  // namespace

Table string_shape_methods() {
  static const std::vector<Param> shape = {{"width", true}, {"fillchar"}};
  static const Row rows[] = {
      {"ljust", justify<Place::kLeft>, shape},    {"rjust", justify<Place::kRight>, shape},
      {"center", justify<Place::kCenter>, shape}, {"zfill", zero_fill, {{"width", true}}},
      {"expandtabs", expand_tabs, {{"tabsize"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
