// The attribute arguments of filters: "a.b.0", "a,b".
#pragma once

#include <string_view>
#include <vector>

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// The parts of "a.b.0"; digits become integers. None and missing give no part, other values themselves.
std::vector<Value> path_parts(Runtime& rt, const Value& attribute);
// Follows the parts; with a default, in place of what is undefined.
Value follow(Runtime& rt, Value v, const std::vector<Value>& parts, const Value* otherwise = nullptr);
// A string in lower case, anything else as it is: how Jinja2 compares without case.
Value without_case(Runtime& rt, const Value& v);

}  // namespace kelda::jinja
