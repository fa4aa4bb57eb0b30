// a.b, a[b] and a[b:c:d], as Jinja2's immutable sandbox looks things up.
#pragma once

#include <string_view>

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// Attribute first, then item. What does not exist is undefined; what the sandbox forbids (names that begin
// with an underscore, methods that change) is an undefined value that says so when it is used.
Value get_attribute(Runtime& rt, const Value& v, const Value& name);
// Item first, then attribute.
Value get_item(Runtime& rt, const Value& v, const Value& key);
// Bounds may be none. Throws Python's errors.
Value get_slice(Runtime& rt, const Value& v, const Value& start, const Value& stop, const Value& step);
// Characters [begin, end) of a string, begin ≤ end ≤ its length.
Text char_range(const Value& string, std::size_t begin, std::size_t end);

}  // namespace kelda::jinja
