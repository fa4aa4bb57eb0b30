// "%s and %5.2f" % values
#pragma once

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// `format` is a string. What the format's text and its padding say has the format's provenance.
Value percent_format(Runtime& rt, const Value& format, const Value& values);

}  // namespace kelda::jinja
