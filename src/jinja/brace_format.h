// "{} and {name:>5}".format(…)
#pragma once

#include "jinja/object.h"

namespace kelda::jinja {

class Runtime;

// What the format's text and its padding say has the format's provenance.
Value brace_format(Runtime& rt, const Value& format, const Args& args);

}  // namespace kelda::jinja
