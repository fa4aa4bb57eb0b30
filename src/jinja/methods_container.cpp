// Methods of list, tuple, dict, int and float. The methods that change their object do not exist in the
// sandbox (access.cpp says so when one is used).
#include <algorithm>
#include <cmath>

#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

Value index(Runtime& rt, const Value& self, Bound& args) {
  const auto n = static_cast<int64_t>(self.items().size());
  const auto bound = [n](int64_t i) {
    return i < 0 ? std::max<int64_t>(0, i < -n ? 0 : i + n) : std::min(i, n);
  };
  const int64_t end = bound(args.integer(2, n));
  for (int64_t i = bound(args.integer(1, 0)); i < end; ++i) {
    if (rt.equal(self.items()[static_cast<std::size_t>(i)], args[0])) return Value::integer(i);
  }
  if (self.is_tuple()) raise(Raised::kValue, "tuple.index(x): x not in tuple");
  raise(Raised::kValue, "{} is not in list", short_repr(args[0]));
}

Value count(Runtime& rt, const Value& self, Bound& args) {
  int64_t n = 0;
  for (const Value& item : self.items()) n += rt.equal(item, args[0]);
  return Value::integer(n);
}

Value copy(Runtime&, const Value& self, Bound&) { return self; }  // lists and dicts do not change

Value get(Runtime& rt, const Value& self, Bound& args) {
  if (const Value* found = rt.find(self.as_dict(), args[0])) return *found;
  return args.get(1) ? args[1] : Value::none();
}

template <ViewKind kind>
Value view(Runtime& rt, const Value& self, Bound&) {
  return dict_view(rt, kind, self);
}

Value from_keys(Runtime& rt, const Value&, Bound& args) {
  Dict made;
  for_each(rt, args[0], [&](const Value& key) {
    rt.set(made, key, args.get(1) ? args[1] : Value::none());
    return true;
  });
  return rt.dict(std::move(made), Provenance::kOwned);
}

Value is_integer(Runtime&, const Value& self, Bound&) {
  return Value::boolean(std::isfinite(self.as_double()) && self.as_double() == std::floor(self.as_double()));
}

Value bit_length(Runtime&, const Value& self, Bound&) {
  auto magnitude = static_cast<uint64_t>(self.as_int());
  if (self.as_int() < 0) magnitude = uint64_t{0} - magnitude;
  int64_t n = 0;
  for (; magnitude != 0; magnitude >>= 1) ++n;
  return Value::integer(n);
}

const std::vector<Param>& one_value() {
  static const std::vector<Param> params = {{"value", true}};
  return params;
}

}  // namespace

Table list_methods() {
  static const Row rows[] = {{"index", index, {{"value", true}, {"start"}, {"stop"}}},
                             {"count", count, one_value()},
                             {"copy", copy, {}}};
  return rows;
}

Table tuple_methods() { return list_methods().first(2); }

Table dict_methods() {
  static const Row rows[] = {{"get", get, {{"key", true}, {"default"}}},
                             {"items", view<ViewKind::kItems>, {}},
                             {"keys", view<ViewKind::kKeys>, {}},
                             {"values", view<ViewKind::kValues>, {}},
                             {"copy", copy, {}},
                             {"fromkeys", from_keys, {{"iterable", true}, {"value"}}}};
  return rows;
}

namespace {
Table float_methods() {
  static const Row rows[] = {{"is_integer", is_integer, {}}};
  return rows;
}
Table int_methods() {
  static const Row rows[] = {{"bit_length", bit_length, {}}};
  return rows;
}

// The methods of str from its three files, as one table.
Table all_string_methods() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const Table table : {string_methods(), string_query_methods(), string_shape_methods()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return rows;
}
}  // namespace

Table methods_of(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kString:
      return all_string_methods();
    case Value::Kind::kList:
      return list_methods();
    case Value::Kind::kTuple:
      return tuple_methods();
    case Value::Kind::kDict:
      return dict_methods();
    case Value::Kind::kBool:
    case Value::Kind::kInt:
      return int_methods();
    case Value::Kind::kFloat:
      return float_methods();
    default:
      return {};
  }
}

}  // namespace kelda::jinja
