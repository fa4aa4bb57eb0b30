#include "jinja/runtime.h"

#include <algorithm>

#include "jinja/errors.h"
#include "jinja/nodes.h"

namespace kelda::jinja {

void Runtime::clear_kept() {
  for (const auto& object : kept_) object->clear();
  kept_.clear();
}

Value Runtime::counted(Value v, std::size_t n_bytes) {
  v.node()->count_in(budget_, n_bytes);
  return v;
}

Value Runtime::text(Text text, bool markup) {
  budget_.touch(text.size());
  const std::size_t n_bytes = sizeof(StringNode) + text.memory();
  budget_.want(n_bytes);
  return counted(Value::text(std::move(text), markup), n_bytes);
}

Value Runtime::list(std::vector<Value> items, Provenance p) {
  budget_.step(1 + static_cast<int64_t>(items.size() / 8));
  const std::size_t n_bytes = sizeof(ListNode) + items.capacity() * sizeof(Value);
  budget_.want(n_bytes);
  return counted(Value::list(std::move(items), p), n_bytes);
}

Value Runtime::tuple(std::vector<Value> items, Provenance p) {
  budget_.step(1 + static_cast<int64_t>(items.size() / 8));
  const std::size_t n_bytes = sizeof(ListNode) + items.capacity() * sizeof(Value);
  budget_.want(n_bytes);
  return counted(Value::tuple(std::move(items), p), n_bytes);
}

Value Runtime::dict(Dict dict, Provenance p) {
  budget_.step(1 + static_cast<int64_t>(dict.size() / 4));
  const std::size_t n_bytes = sizeof(DictNode) + dict.memory();
  budget_.want(n_bytes);
  return counted(Value::dict(std::move(dict), p), n_bytes);
}

Value Runtime::no_member(const Value& v, const Value& name) {
  return counted(Value::undefined_member(object_type(v), name), sizeof(UndefinedNode));
}

Value Runtime::object(std::shared_ptr<Object> object) {
  constexpr std::size_t kObjectBytes = 256;
  budget_.step();
  return counted(Value::object(std::move(object)), kObjectBytes);
}

Value Runtime::kept(std::shared_ptr<Object> made) {
  kept_.push_back(made);
  return object(std::move(made));
}

bool Runtime::equal(const Value& a, const Value& b) {
  budget_.step(std::min(a.weight(), b.weight()));
  return jinja::equal(a, b);
}

const Value* Runtime::find(const Dict& dict, const Value& key) {
  budget_.step(key.weight());
  if (!hash(key)) raise(Raised::kType, "unhashable type: '{}'", type_name(key));
  return dict.find(key);
}

void Runtime::set(Dict& dict, const Value& key, Value value) {
  budget_.step(key.weight());
  budget_.want(dict.memory());
  dict.set(key, std::move(value));
}

bool Runtime::truthy(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kBool:
    case Value::Kind::kInt:
      return v.as_int() != 0;
    case Value::Kind::kBigInt:
      return true;
    case Value::Kind::kFloat:
      return v.as_double() != 0;
    case Value::Kind::kString:
      return !v.as_text().empty();
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return !v.items().empty();
    case Value::Kind::kDict:
      return v.as_dict().size() != 0;
    case Value::Kind::kObject:
      if (const auto n = v.as_object().length(*this)) return *n != 0;
      return v.as_object().truthy();
    default:
      return false;
  }
}

std::size_t Runtime::length(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kUndefined:
      return 0;
    case Value::Kind::kString:
      return v.n_chars();
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return v.items().size();
    case Value::Kind::kDict:
      return v.as_dict().size();
    case Value::Kind::kObject:
      if (const auto n = v.as_object().length(*this)) return *n;
      break;
    default:
      break;
  }
  raise(Raised::kType, "object of type '{}' has no len()", type_name(v));
}

Value Runtime::call(const Value& callee, Args& args) {
  if (callee.is_undefined()) raise(Raised::kUndefined, "{}", callee.undefined_message());
  if (!callee.is(Value::Kind::kObject) || !callee.as_object().callable()) {
    raise(Raised::kType, "'{}' object is not callable", type_name(callee));
  }
  const Budget::Level level(budget_);
  budget_.step();
  return callee.as_object().call(*this, args);
}

}  // namespace kelda::jinja
