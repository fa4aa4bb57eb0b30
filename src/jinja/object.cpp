#include "jinja/object.h"

#include "jinja/errors.h"
#include "jinja/unicode.h"

namespace kelda::jinja {

Value Object::call(Runtime&, Args&) { raise(Raised::kType, "'{}' object is not callable", type_name()); }
std::optional<Value> Object::attribute(Runtime&, std::string_view) { return std::nullopt; }
std::optional<Value> Object::item(Runtime&, const Value&) { return std::nullopt; }
std::optional<std::size_t> Object::length(Runtime&) { return std::nullopt; }
std::unique_ptr<Iterator> Object::iterate(Runtime&) { return nullptr; }
std::optional<uint64_t> Object::hash() const { return hash_word(reinterpret_cast<uintptr_t>(this)); }

}  // namespace kelda::jinja
