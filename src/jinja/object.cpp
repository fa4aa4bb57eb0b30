#include "jinja/object.h"

#include "jinja/errors.h"

namespace kelda::jinja {

const Value* Args::find_keyword(std::string_view name) const {
  for (const auto& [key, value] : keyword) {
    if (key == name) return &value;
  }
  return nullptr;
}

Value Object::call(Runtime&, Args&) { raise(Raised::kType, "'{}' object is not callable", type_name()); }
std::optional<Value> Object::attribute(Runtime&, std::string_view) { return std::nullopt; }
std::optional<Value> Object::item(Runtime&, const Value&) { return std::nullopt; }
std::optional<std::size_t> Object::length(Runtime&) { return std::nullopt; }
std::unique_ptr<Iterator> Object::iterate(Runtime&) { return nullptr; }

}  // namespace kelda::jinja
