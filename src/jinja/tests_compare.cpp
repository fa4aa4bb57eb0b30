// Tests that compare a value with another.
#include "jinja/builtins.h"
#include "jinja/operators.h"
#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

template <Op op>
Value compared(Runtime& rt, const Value& v, Bound& args) {
  return Value::boolean(compare(rt, op, v, args[0]));
}

Value remainder_is(Runtime& rt, const Value& v, const Value& divisor, int64_t wanted) {
  return Value::boolean(rt.equal(binary(rt, Op::kMod, v, divisor), Value::integer(wanted)));
}
Value odd(Runtime& rt, const Value& v, Bound&) { return remainder_is(rt, v, Value::integer(2), 1); }
Value even(Runtime& rt, const Value& v, Bound&) { return remainder_is(rt, v, Value::integer(2), 0); }
Value divisible(Runtime& rt, const Value& v, Bound& args) { return remainder_is(rt, v, args[0], 0); }

// Python's `is`: the same object. Small integers and equal constants are one object there.
Value same_as(Runtime& rt, const Value& v, Bound& args) {
  const Value& other = args[0];
  if (v.kind() != other.kind()) return Value::boolean(false);
  const bool scalar = v.is_none() || v.is_bool() || v.is(Value::Kind::kInt);
  return Value::boolean(scalar ? rt.equal(v, other) : v.node() && v.node() == other.node());
}

}  // namespace

Table compare_tests() {
  static const std::vector<Param> other = {{"other", true}};
  static const Row rows[] = {
      {"==", compared<Op::kEq>, other},
      {"eq", compared<Op::kEq>, other},
      {"equalto", compared<Op::kEq>, other},
      {"!=", compared<Op::kNe>, other},
      {"ne", compared<Op::kNe>, other},
      {">", compared<Op::kGt>, other},
      {"gt", compared<Op::kGt>, other},
      {"greaterthan", compared<Op::kGt>, other},
      {">=", compared<Op::kGe>, other},
      {"ge", compared<Op::kGe>, other},
      {"<", compared<Op::kLt>, other},
      {"lt", compared<Op::kLt>, other},
      {"lessthan", compared<Op::kLt>, other},
      {"<=", compared<Op::kLe>, other},
      {"le", compared<Op::kLe>, other},
      {"in", compared<Op::kIn>, {{"seq", true}}},
      {"odd", odd, {}},
      {"even", even, {}},
      {"divisibleby", divisible, {{"num", true}}},
      {"sameas", same_as, other},
  };
  return rows;
}

}  // namespace kelda::jinja
