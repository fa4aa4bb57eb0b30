// Tests of what a value is.
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/text_query.h"

namespace kelda::jinja {
namespace {

Value yes_if(bool b) { return Value::boolean(b); }

Value defined(Runtime&, const Value& v, Bound&) { return yes_if(!v.is_undefined()); }
Value undefined(Runtime&, const Value& v, Bound&) { return yes_if(v.is_undefined()); }
Value none(Runtime&, const Value& v, Bound&) { return yes_if(v.is_none()); }
Value boolean(Runtime&, const Value& v, Bound&) { return yes_if(v.is_bool()); }
Value is_true(Runtime&, const Value& v, Bound&) { return yes_if(v.is_bool() && v.as_bool()); }
Value is_false(Runtime&, const Value& v, Bound&) { return yes_if(v.is_bool() && !v.as_bool()); }
Value integer(Runtime&, const Value& v, Bound&) {
  return yes_if(v.is(Value::Kind::kInt) || v.is(Value::Kind::kBigInt));
}
Value real(Runtime&, const Value& v, Bound&) { return yes_if(v.is(Value::Kind::kFloat)); }
Value number(Runtime&, const Value& v, Bound&) { return yes_if(v.is_number()); }
Value string(Runtime&, const Value& v, Bound&) { return yes_if(v.is_string()); }
Value mapping(Runtime&, const Value& v, Bound&) { return yes_if(v.is_dict()); }
Value iterable(Runtime&, const Value& v, Bound&) { return yes_if(is_iterable(v)); }
Value escaped(Runtime&, const Value& v, Bound&) { return yes_if(v.is_markup()); }
Value callable(Runtime&, const Value& v, Bound&) {
  return yes_if(v.is_undefined() || (v.is(Value::Kind::kObject) && v.as_object().callable()));
}

// Has a length and can be indexed.
Value sequence(Runtime&, const Value& v, Bound&) {
  const bool object = v.is(Value::Kind::kObject) && v.as_object().is_sequence();
  return yes_if(v.is_string() || v.is_sequence() || v.is_dict() || v.is_undefined() || object);
}

Value lower(Runtime& rt, const Value& v, Bound&) {
  const Text text = to_text(rt, v);
  rt.budget().walk(text.size());
  return yes_if(is_lower_case(text.bytes()));
}
Value upper(Runtime& rt, const Value& v, Bound&) {
  const Text text = to_text(rt, v);
  rt.budget().walk(text.size());
  return yes_if(is_upper_case(text.bytes()));
}
void check_hashable(Runtime& rt, const Value& v) {
  rt.budget().step(v.weight());
  if (!hash(v)) raise(Raised::kType, "unhashable type: '{}'", type_name(v));
}
Value filter(Runtime& rt, const Value& v, Bound&) {
  check_hashable(rt, v);
  return yes_if(v.is_string() && find_filter(v.str()));
}
Value is_test(Runtime& rt, const Value& v, Bound&) {
  check_hashable(rt, v);
  return yes_if(v.is_string() && find_test(v.str()));
}

}  // namespace

Table type_tests() {
  static const Row rows[] = {
      {"defined", defined, {}},   {"undefined", undefined, {}}, {"none", none, {}},
      {"boolean", boolean, {}},   {"true", is_true, {}},        {"false", is_false, {}},
      {"integer", integer, {}},   {"float", real, {}},          {"number", number, {}},
      {"string", string, {}},     {"mapping", mapping, {}},     {"iterable", iterable, {}},
      {"sequence", sequence, {}}, {"callable", callable, {}},   {"escaped", escaped, {}},
      {"lower", lower, {}},       {"upper", upper, {}},         {"filter", filter, {}},
      {"test", is_test, {}},
  };
  return rows;
}

}  // namespace kelda::jinja
