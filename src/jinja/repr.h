// How Python writes values: str() and repr().
#pragma once

#include <string>
#include <string_view>

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// repr() of a string: quotes as Python chooses them, escapes for what is not printable.
std::string quote_python(std::string_view text);
// repr() of a float: the shortest digits that read back as the same.
std::string float_repr(double value);
// repr() of a key for a message; containers only by their type.
std::string short_repr(const Value& value);

// str(), repr(). Provenance: strings keep theirs; quotes, brackets and numbers have that of the value they
// are part of. Throws Failure where a limit is passed.
Text to_text(Runtime& rt, const Value& value);
Text to_repr(Runtime& rt, const Value& value);
// The same with \x, \u and \U in place of what is not ASCII, as Python's ascii() has it.
Text to_ascii(Runtime& rt, const Value& value);
void append_repr(Runtime& rt, const Value& value, Text& out);

}  // namespace kelda::jinja
