// Filters on numbers.
#include <cmath>

#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/operators.h"
#include "jinja/parse_number.h"
#include "jinja/repr.h"
#include "jinja/rounding.h"
#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

Value absolute(Runtime& rt, const Value& self, Bound&) {
  if (!self.is_number()) raise(Raised::kType, "bad operand type for abs(): '{}'", type_name(self));
  if (self.is(Value::Kind::kFloat)) return Value::real(std::abs(self.as_double()), self.provenance());
  return self.is_integral() && self.as_int() >= 0 ? unary(rt, Op::kPos, self) : unary(rt, Op::kNeg, self);
}

// What a float becomes as an integer; nullopt for NaN. Infinity raises as in Python.
std::optional<Value> truncated(double d, Provenance p, bool& infinite) {
  infinite = std::isinf(d);
  if (std::isnan(d) || infinite) return std::nullopt;
  if (std::abs(d) >= 0x1p63) raise(Raised::kLimit, "an integer does not fit in 64 bits");
  return Value::integer(static_cast<int64_t>(d), p);
}

Value to_int(Runtime& rt, const Value& self, Bound& args) {
  const Value otherwise = args.get(0) ? args[0] : Value::integer(0);
  const int64_t base = args.integer(1, 10);
  const Provenance p = args.get(1) ? both(self.provenance(), args[1].provenance()) : self.provenance();
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (self.is(Value::Kind::kBigInt)) return self;
  if (self.is_integral()) return Value::integer(self.as_int(), p);
  bool infinite = false;
  if (self.is(Value::Kind::kFloat)) {
    const auto whole = truncated(self.as_double(), p, infinite);
    if (infinite) raise(Raised::kOverflow, "cannot convert float infinity to integer");
    return whole.value_or(otherwise);
  }
  if (!self.is_string()) return otherwise;
  rt.budget().walk(4 * self.str().size());
  if (base == 0 || (base >= 2 && base <= 36)) {
    if (const auto i = parse_int(self.str(), static_cast<int>(base))) return Value::integer(*i, p);
  }
  const auto d = parse_float(self.str());
  return d ? truncated(*d, p, infinite).value_or(otherwise) : otherwise;
}

Value to_float(Runtime& rt, const Value& self, Bound& args) {
  const Value otherwise = args.get(0) ? args[0] : Value::real(0);
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (self.is_number()) return Value::real(self.as_double(), self.provenance());
  if (!self.is_string()) return otherwise;
  rt.budget().walk(4 * self.str().size());
  const auto d = parse_float(self.str());
  return d ? Value::real(*d, self.provenance()) : otherwise;
}

Value round_filter(Runtime& rt, const Value& self, Bound& args) {
  const int64_t precision = args.integer(0, 0);
  const Provenance p = args.get(0) ? both(self.provenance(), args[0].provenance()) : self.provenance();
  const std::string method = args.get(1) && args[1].is_string() ? std::string(args[1].str())
                             : args.get(1)                      ? "?"
                                                                : "common";
  if (method != "common" && method != "ceil" && method != "floor") {
    raise(Raised::kOther, "method must be common, ceil or floor");
  }
  if (method == "common") {
    if (!self.is_number()) raise(Raised::kType, "type {} doesn't define __round__ method", type_name(self));
    if (self.is_integral()) return Value::integer(round_integer(self.as_int(), precision), p);
    if (!self.is(Value::Kind::kFloat)) raise(Raised::kLimit, "an integer does not fit in 64 bits");
    return Value::real(round_float(self.as_double(), precision), p);
  }
  const Value scale = power(rt, Value::integer(10), Value::integer(precision, p));
  const Value scaled = binary(rt, Op::kMul, self, scale);
  if (!scaled.is_number()) raise(Raised::kType, "must be real number, not {}", type_name(scaled));
  const double d = scaled.as_double();
  const double whole = method == "ceil" ? std::ceil(d) : std::floor(d);
  bool infinite = false;
  const auto integer = truncated(whole, p, infinite);
  if (!integer) raise(Raised::kValue, "cannot convert float {} to integer", infinite ? "infinity" : "NaN");
  return binary(rt, Op::kDiv, *integer, scale);
}

Value file_size(Runtime& rt, const Value& self, Bound& args) {
  const auto parsed = self.is_number()   ? std::optional<double>(self.as_double())
                      : self.is_string() ? parse_float(self.str())
                                         : std::nullopt;
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (!parsed && self.is_string())
    raise(Raised::kValue, "could not convert string to float: {}", quote_python(self.str()));
  if (!parsed) {
    raise(Raised::kType, "float() argument must be a string or a real number, not '{}'", type_name(self));
  }
  const bool binary_units = args.truthy(rt, 0, false);
  const double base = binary_units ? 1024 : 1000, n = *parsed;
  const Provenance p = self.provenance();
  if (n == 1) return Value::string("1 Byte", p);
  if (n < base) return Value::string(fmt::format("{} Bytes", static_cast<int64_t>(std::max(n, -9e18))), p);
  constexpr std::string_view kLetters = "kMGTPEZY";
  double unit = base;
  for (std::size_t i = 0;; ++i) {
    unit *= base;
    if (n < unit || i + 1 == kLetters.size()) {
      const char letter = binary_units && i == 0 ? 'K' : kLetters[i];
      return Value::string(fmt::format("{:.1f} {}{}", base * n / unit, letter, binary_units ? "iB" : "B"), p);
    }
  }
}

}  // namespace

Table number_filters() {
  static const Row rows[] = {
      {"abs", absolute, {}},
      {"int", to_int, {{"default"}, {"base"}}},
      {"float", to_float, {{"default"}}},
      {"round", round_filter, {{"precision"}, {"method"}}},
      {"filesizeformat", file_size, {{"binary"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
