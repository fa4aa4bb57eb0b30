#include "jinja/access.h"

#include <algorithm>
#include <string>

#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

// Methods that exist in Python and change their object.
bool is_mutator(const Value& v, std::string_view name) {
  constexpr std::string_view kDict[] = {"clear", "pop", "popitem", "setdefault", "update"};
  constexpr std::string_view kList[] = {"append", "clear", "pop",    "reverse",
                                        "insert", "sort",  "extend", "remove"};
  if (v.is_dict()) return std::find(std::begin(kDict), std::end(kDict), name) != std::end(kDict);
  return v.is_list() && std::find(std::begin(kList), std::end(kList), name) != std::end(kList);
}

// Names that every object of Python has; the sandbox gives none of them.
bool is_internal(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "__class__",         "__delattr__",   "__dict__",         "__dir__",     "__doc__",    "__eq__",
      "__format__",        "__ge__",        "__getattribute__", "__gt__",      "__hash__",   "__init__",
      "__init_subclass__", "__le__",        "__lt__",           "__module__",  "__ne__",     "__new__",
      "__reduce__",        "__reduce_ex__", "__repr__",         "__setattr__", "__sizeof__", "__str__",
      "__subclasshook__"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Missing if there is none.
Value attribute(Runtime& rt, const Value& v, std::string_view name) {
  if (v.is_undefined()) {
    if (name.starts_with("__") && name.ends_with("__")) return {};
    raise(Raised::kUndefined, "{}", v.undefined_message());
  }
  if (is_internal(name) || is_mutator(v, name)) {
    return Value::undefined_because(
        fmt::format("access to attribute {} of '{}' object is unsafe.", quote_python(name), type_name(v)));
  }
  if (v.is(Value::Kind::kObject)) return v.as_object().attribute(rt, name).value_or(Value());
  if (const Row* method = find_row(methods_of(v), name)) return function_value(rt, *method, v);
  return {};
}

// Missing if there is none.
Value item(Runtime& rt, const Value& v, const Value& key) {
  switch (v.kind()) {
    case Value::Kind::kDict: {
      rt.budget().step(key.weight());
      const Value* found = v.as_dict().find(key);
      return found ? *found : Value();
    }
    case Value::Kind::kList:
    case Value::Kind::kTuple:
    case Value::Kind::kString: {
      if (!key.is_integral()) return {};
      const auto n = static_cast<int64_t>(rt.length(v));
      const int64_t i = key.as_int() < 0 ? key.as_int() + n : key.as_int();
      if (i < 0 || i >= n) return {};
      const auto at = static_cast<std::size_t>(i);
      if (!v.is_string()) return v.items()[at];
      rt.budget().touch(v.str().size());
      return rt.text(char_range(v, at, at + 1), v.is_markup());
    }
    case Value::Kind::kObject:
      return v.as_object().item(rt, key).value_or(Value());
    case Value::Kind::kUndefined:
      raise(Raised::kUndefined, "{}", v.undefined_message());
    default:
      return {};
  }
}

}  // namespace

Value get_attribute(Runtime& rt, const Value& v, const Value& name) {
  Value found = attribute(rt, v, name.str());
  if (found.is_missing()) found = item(rt, v, name);
  return found.is_missing() ? rt.no_member(v, name) : found;
}

Value get_item(Runtime& rt, const Value& v, const Value& key) {
  Value found = item(rt, v, key);
  if (found.is_missing() && key.is_string()) found = attribute(rt, v, key.str());
  return found.is_missing() ? rt.no_member(v, key) : found;
}

Text char_range(const Value& string, std::size_t begin, std::size_t end) {
  const std::string_view all = string.str();
  if (string.n_chars() == all.size()) return string.as_text().slice(begin, end);
  const std::size_t from = char_offset(all, begin);
  return string.as_text().slice(from, from + char_offset(all.substr(from), end - begin));
}

namespace {
// The indices that a slice selects of a sequence.
struct SliceIndices {
  int64_t first, stride, count;
};

int64_t slice_bound(const Value& v, int64_t length, int64_t otherwise, bool backwards) {
  if (v.is_none() || v.is_missing()) return otherwise;
  if (!v.is_integral()) {
    raise(Raised::kType, "slice indices must be integers or None or have an __index__ method");
  }
  const int64_t lowest = backwards ? -1 : 0, highest = backwards ? length - 1 : length;
  int64_t i = v.as_int();
  if (i < 0) i = i < -length ? -1 : i + length;  // -1: before the beginning
  return std::clamp(i, lowest, highest);
}

SliceIndices slice_indices(const Value& start, const Value& stop, const Value& step, int64_t length) {
  int64_t stride = 1;
  if (!step.is_none() && !step.is_missing()) {
    if (!step.is_integral()) {
      raise(Raised::kType, "slice indices must be integers or None or have an __index__ method");
    }
    stride = step.as_int();
  }
  if (stride == 0) raise(Raised::kValue, "slice step cannot be zero");
  stride = std::clamp(stride, -length - 1, length + 1);
  const bool backwards = stride < 0;
  const int64_t first = slice_bound(start, length, backwards ? length - 1 : 0, backwards);
  const int64_t last = slice_bound(stop, length, backwards ? -1 : length, backwards);
  int64_t count = 0;
  if (backwards && last < first) count = (first - last - 1) / -stride + 1;
  if (!backwards && first < last) count = (last - first - 1) / stride + 1;
  return {first, stride, count};
}
}  // namespace

Value get_slice(Runtime& rt, const Value& v, const Value& start, const Value& stop, const Value& step) {
  if (v.is_undefined()) raise(Raised::kUndefined, "{}", v.undefined_message());
  if (v.is_dict()) raise(Raised::kType, "unhashable type: 'slice'");
  const bool object = v.is(Value::Kind::kObject) && v.as_object().sliceable();
  if (!v.is_sequence() && !v.is_string() && !object) {
    raise(Raised::kType, "'{}' object is not subscriptable", type_name(v));
  }
  const SliceIndices s = slice_indices(start, stop, step, static_cast<int64_t>(rt.length(v)));
  if (v.is_string()) {
    rt.budget().touch(v.str().size());
    rt.budget().want(v.str().size());
    const auto first = static_cast<std::size_t>(s.first), count = static_cast<std::size_t>(s.count);
    if (s.count == 0) return rt.text({}, v.is_markup());
    if (s.stride == 1) return rt.text(char_range(v, first, first + count), v.is_markup());
    rt.budget().walk(v.str().size());
    std::vector<std::size_t> offsets;
    rt.budget().want(v.n_chars() * sizeof(std::size_t));
    for (std::size_t at = 0; at < v.str().size(); at += next_utf8(v.str().substr(at)).length)
      offsets.push_back(at);
    offsets.push_back(v.str().size());
    Text out;
    for (int64_t i = 0; i < s.count; ++i) {
      const auto at = static_cast<std::size_t>(s.first + i * s.stride);
      out.append(v.as_text(), offsets[at], offsets[at + 1]);
    }
    return rt.text(std::move(out), v.is_markup());
  }
  std::vector<Value> out;
  rt.budget().want(static_cast<std::size_t>(s.count) * sizeof(Value));
  out.reserve(static_cast<std::size_t>(s.count));
  for (int64_t i = 0; i < s.count; ++i) {
    const int64_t at = s.first + i * s.stride;
    out.push_back(v.is_sequence() ? v.items()[static_cast<std::size_t>(at)]
                                  : v.as_object().item(rt, Value::integer(at)).value_or(Value::none()));
  }
  return v.is_tuple() ? rt.tuple(std::move(out), v.provenance()) : rt.list(std::move(out), v.provenance());
}

}  // namespace kelda::jinja
