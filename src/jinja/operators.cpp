#include "jinja/operators.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "jinja/errors.h"
#include "jinja/html.h"
#include "jinja/iterate.h"
#include "jinja/percent_format.h"
#include "jinja/runtime.h"
#include "jinja/search.h"

namespace kelda::jinja {
namespace {

std::string_view symbol(Op op) {
  constexpr std::string_view kSymbols[] = {"+",  "-",  "*", "/",  "//", "%",  "** or pow()", "+",     "-",
                                           "==", "!=", "<", "<=", ">",  ">=", "in",          "not in"};
  return kSymbols[static_cast<std::size_t>(op)];
}

[[noreturn]] void unsupported(Op op, const Value& a, const Value& b) {
  raise(Raised::kType, "unsupported operand type(s) for {}: '{}' and '{}'", symbol(op), type_name(a),
        type_name(b));
}

[[noreturn]] void too_large() {
  raise(Raised::kLimit, "an integer does not fit in 64 bits (templates compute with 64-bit integers)");
}

[[noreturn]] void divided_by_zero(const char* message) { raise(Raised::kOther, "{}", message); }

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

Value integers(Op op, int64_t a, int64_t b, Provenance p) {
  int64_t r = 0;
  bool overflow = false;
  switch (op) {
    case Op::kAdd:
      overflow = __builtin_add_overflow(a, b, &r);
      break;
    case Op::kSub:
      overflow = __builtin_sub_overflow(a, b, &r);
      break;
    case Op::kMul:
      overflow = __builtin_mul_overflow(a, b, &r);
      break;
    case Op::kDiv:
      if (b == 0) divided_by_zero("division by zero");
      return Value::real(static_cast<double>(a) / static_cast<double>(b), p);
    case Op::kFloorDiv:
    case Op::kMod:
      if (b == 0)
        divided_by_zero(op == Op::kMod ? "integer modulo by zero" : "integer division or modulo by zero");
      if (b == -1) {  // the one quotient that does not fit
        overflow = op == Op::kFloorDiv && __builtin_sub_overflow(int64_t{0}, a, &r);
        break;
      }
      r = op == Op::kMod ? a - floor_div(a, b) * b : floor_div(a, b);
      break;
    default:
      break;
  }
  if (overflow) too_large();
  return Value::integer(r, p);
}

double float_mod(double a, double b) {
  double m = std::fmod(a, b);
  if (m != 0 ? (b < 0) != (m < 0) : false) m += b;
  return m == 0 ? std::copysign(0.0, b) : m;
}

// As CPython: the quotient of what is left after the modulus, rounded to the nearest whole.
double float_floor_div(double a, double b) {
  double m = std::fmod(a, b);
  double q = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) q -= 1.0;
  if (q == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(q);
  if (q - floored > 0.5) floored += 1.0;
  return floored;
}

Value floats(Op op, double a, double b, Provenance p) {
  switch (op) {
    case Op::kAdd:
      return Value::real(a + b, p);
    case Op::kSub:
      return Value::real(a - b, p);
    case Op::kMul:
      return Value::real(a * b, p);
    case Op::kDiv:
      if (b == 0) divided_by_zero("float division by zero");
      return Value::real(a / b, p);
    case Op::kFloorDiv:
      if (b == 0) divided_by_zero("float floor division by zero");
      return Value::real(float_floor_div(a, b), p);
    default:
      if (b == 0) divided_by_zero("float modulo");
      return Value::real(float_mod(a, b), p);
  }
}

Value numbers(Op op, const Value& a, const Value& b) {
  if (a.is(Value::Kind::kBigInt) || b.is(Value::Kind::kBigInt)) too_large();
  const Provenance p = both(a.provenance(), b.provenance());
  if (a.is_integral() && b.is_integral()) return integers(op, a.as_int(), b.as_int(), p);
  return floats(op, a.as_double(), b.as_double(), p);
}

void check_defined(const Value& a, const Value& b) {
  if (a.is_undefined()) raise(Raised::kUndefined, "{}", a.undefined_message());
  if (b.is_undefined()) raise(Raised::kUndefined, "{}", b.undefined_message());
}

Value joined(Runtime& rt, const Value& a, const Value& b) {
  rt.budget().want((a.items().size() + b.items().size()) * sizeof(Value));
  std::vector<Value> all;
  all.reserve(a.items().size() + b.items().size());
  all.insert(all.end(), a.items().begin(), a.items().end());
  all.insert(all.end(), b.items().begin(), b.items().end());
  const Provenance p = both(a.provenance(), b.provenance());
  return a.is_list() ? rt.list(std::move(all), p) : rt.tuple(std::move(all), p);
}

}  // namespace

Value add(Runtime& rt, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return numbers(Op::kAdd, a, b);
  if (a.is_string() && b.is_string()) {
    const bool markup = a.is_markup() || b.is_markup();
    rt.budget().want(a.str().size() + b.str().size());
    Text sum = markup && !a.is_markup() ? escape_html(rt, a.as_text()) : a.as_text();
    sum.append(markup && !b.is_markup() ? escape_html(rt, b.as_text()) : b.as_text());
    return rt.text(std::move(sum), markup);
  }
  if (a.is_sequence() && a.kind() == b.kind()) return joined(rt, a, b);
  check_defined(a, b);
  if (a.is_string()) {
    if (a.is_markup()) unsupported(Op::kAdd, a, b);
    raise(Raised::kType, "can only concatenate str (not \"{}\") to str", type_name(b));
  }
  if (a.is_sequence()) {
    raise(Raised::kType, "can only concatenate {0} (not \"{1}\") to {0}", type_name(a), type_name(b));
  }
  unsupported(Op::kAdd, a, b);
}

Value repeat(Runtime& rt, const Value& sequence, int64_t n) {
  const std::size_t unit =
      sequence.is_string() ? sequence.str().size() : sequence.items().size() * sizeof(Value);
  const std::size_t times = n <= 0 || unit == 0 ? 0 : static_cast<std::size_t>(n);
  std::size_t n_bytes = 0;
  if (__builtin_mul_overflow(unit, times, &n_bytes)) n_bytes = SIZE_MAX / 2;
  rt.budget().want(n_bytes);
  rt.budget().touch(n_bytes);
  rt.budget().step(static_cast<int64_t>(times / 8));
  if (sequence.is_string()) {
    Text all;
    all.reserve(n_bytes);
    for (std::size_t i = 0; i < times; ++i) all.append(sequence.as_text());
    return rt.text(std::move(all), sequence.is_markup());
  }
  std::vector<Value> all;
  all.reserve(times * sequence.items().size());
  for (std::size_t i = 0; i < times; ++i) {
    all.insert(all.end(), sequence.items().begin(), sequence.items().end());
  }
  return sequence.is_list() ? rt.list(std::move(all), sequence.provenance())
                            : rt.tuple(std::move(all), sequence.provenance());
}

Value power(Runtime&, const Value& a, const Value& b) {
  const Provenance p = both(a.provenance(), b.provenance());
  if (a.is(Value::Kind::kBigInt) || b.is(Value::Kind::kBigInt)) too_large();
  if (a.is_integral() && b.is_integral() && b.as_int() >= 0) {
    int64_t base = a.as_int(), result = 1;
    for (int64_t left = b.as_int(); left > 0; left >>= 1) {
      if ((left & 1) != 0 && __builtin_mul_overflow(result, base, &result)) too_large();
      if (left > 1 && __builtin_mul_overflow(base, base, &base)) too_large();
    }
    return Value::integer(result, p);
  }
  const double x = a.as_double(), y = b.as_double();
  if (x == 0 && y < 0) divided_by_zero("0.0 cannot be raised to a negative power");
  if (x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::floor(y)) {
    raise(Raised::kOther, "a negative number to a fractional power is complex: not available");
  }
  const double r = std::pow(x, y);
  if (std::isinf(r) && std::isfinite(x) && std::isfinite(y)) {
    raise(Raised::kOverflow, "(34, 'Numerical result out of range')");
  }
  return Value::real(r, p);
}

Value binary(Runtime& rt, Op op, const Value& a, const Value& b) {
  if (op == Op::kAdd) return add(rt, a, b);
  if (op == Op::kMod && a.is_string()) return percent_format(rt, a, b);
  check_defined(a, b);
  if (a.is_number() && b.is_number()) return op == Op::kPow ? power(rt, a, b) : numbers(op, a, b);
  if (op == Op::kMul) {
    const bool a_repeats = a.is_string() || a.is_sequence(), b_repeats = b.is_string() || b.is_sequence();
    if (a_repeats && b.is_integral()) return repeat(rt, a, b.as_int());
    if (b_repeats && a.is_integral()) return repeat(rt, b, a.as_int());
    if (a_repeats) raise(Raised::kType, "can't multiply sequence by non-int of type '{}'", type_name(b));
    if (b_repeats) raise(Raised::kType, "can't multiply sequence by non-int of type '{}'", type_name(a));
  }
  unsupported(op, a, b);
}

Value unary(Runtime&, Op op, const Value& v) {
  if (v.is_undefined()) raise(Raised::kUndefined, "{}", v.undefined_message());
  if (v.is(Value::Kind::kFloat)) return op == Op::kNeg ? Value::real(-v.as_double(), v.provenance()) : v;
  if (v.is_integral()) {
    return integers(op == Op::kNeg ? Op::kSub : Op::kAdd, 0, v.as_int(), v.provenance());
  }
  if (v.is(Value::Kind::kBigInt)) too_large();
  raise(Raised::kType, "bad operand type for unary {}: '{}'", symbol(op), type_name(v));
}

namespace {

// The sign of a - b, for the types that have an order; NaN compares false with everything.
bool order_sequences(Runtime& rt, Op op, const Value& a, const Value& b) {
  const auto &x = a.items(), &y = b.items();
  const Budget::Level level(rt.budget());
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!rt.equal(x[i], y[i])) return compare(rt, op, x[i], y[i]);
  }
  const auto n = static_cast<int64_t>(x.size()), m = static_cast<int64_t>(y.size());
  return op == Op::kLt ? n < m : op == Op::kLe ? n <= m : op == Op::kGt ? n > m : n >= m;
}

template <typename T>
bool ordered(Op op, const T& x, const T& y) {
  return op == Op::kLt ? x < y : op == Op::kLe ? x <= y : op == Op::kGt ? x > y : x >= y;
}

// a < b for a whole number and a float, without rounding the whole one.
bool order_mixed(Op op, const Value& a, const Value& b) {
  const double x = a.as_double(), y = b.as_double();
  if (a.is_integral() && std::abs(y) < 0x1p63 && std::abs(x) >= 0x1p53) {
    const auto whole = static_cast<int64_t>(std::floor(y));
    if (a.as_int() != whole) return ordered(op, a.as_int(), whole);
    return ordered(op, 0.0, y - std::floor(y));
  }
  if (b.is_integral() && std::abs(x) < 0x1p63 && std::abs(y) >= 0x1p53) {
    const auto whole = static_cast<int64_t>(std::floor(x));
    if (b.as_int() != whole) return ordered(op, whole, b.as_int());
    return ordered(op, x - std::floor(x), 0.0);
  }
  return ordered(op, x, y);
}

}  // namespace

bool compare(Runtime& rt, Op op, const Value& a, const Value& b) {
  switch (op) {
    case Op::kEq:
      return rt.equal(a, b);
    case Op::kNe:
      return !rt.equal(a, b);
    case Op::kIn:
      return contains(rt, b, a);
    case Op::kNotIn:
      return !contains(rt, b, a);
    default:
      break;
  }
  check_defined(a, b);
  if (a.is_number() && b.is_number()) {
    if (a.is_integral() && b.is_integral()) return ordered(op, a.as_int(), b.as_int());
    return order_mixed(op, a, b);
  }
  if (a.is_string() && b.is_string()) {
    rt.budget().touch(std::min(a.str().size(), b.str().size()));
    return ordered(op, a.str(), b.str());  // the order of UTF-8 bytes is that of characters
  }
  if (a.is_sequence() && a.kind() == b.kind()) return order_sequences(rt, op, a, b);
  raise(Raised::kType, "'{}' not supported between instances of '{}' and '{}'", symbol(op), type_name(a),
        type_name(b));
}

bool less(Runtime& rt, const Value& a, const Value& b) { return compare(rt, Op::kLt, a, b); }

bool contains(Runtime& rt, const Value& container, const Value& item) {
  if (container.is_string()) {
    if (!item.is_string()) {
      raise(Raised::kType, "'in <string>' requires string as left operand, not {}", type_name(item));
    }
    rt.budget().touch(4 * container.str().size());
    return find_text(container.str(), item.str()) != std::string_view::npos;
  }
  if (container.is_dict()) return rt.find(container.as_dict(), item) != nullptr;
  if (!is_iterable(container)) {
    raise(Raised::kType, "argument of type '{}' is not iterable", type_name(container));
  }
  bool found = false;
  for_each(rt, container, [&](const Value& other) {
    found = rt.equal(other, item);
    return !found;
  });
  return found;
}

}  // namespace kelda::jinja
