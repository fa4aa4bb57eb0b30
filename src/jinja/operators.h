// Python's operators on values.
#pragma once

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

enum class Op {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kPos,
  kNeg,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kIn,
  kNotIn
};

// Throw Python's TypeError, ZeroDivisionError, …, UndefinedError for undefined operands, and a limit's error
// where an integer does not fit 64 bits.
Value binary(Runtime& rt, Op op, const Value& a, const Value& b);
Value unary(Runtime& rt, Op op, const Value& v);
bool compare(Runtime& rt, Op op, const Value& a, const Value& b);
// `item in container`
bool contains(Runtime& rt, const Value& container, const Value& item);
// −, 0 or + as a is less than, equal to or greater than b, for sorting: throws where Python's < does.
bool less(Runtime& rt, const Value& a, const Value& b);

Value add(Runtime& rt, const Value& a, const Value& b);
Value power(Runtime& rt, const Value& a, const Value& b);
// Text times n; n ≤ 0 is empty.
Value repeat(Runtime& rt, const Value& sequence, int64_t n);

}  // namespace kelda::jinja
