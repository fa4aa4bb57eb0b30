// Escaping for HTML, as markupsafe does it.
#pragma once

#include "jinja/text.h"
#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// & < > " ' replaced; what stands for a character has that character's provenance.
Text escape_html(Runtime& rt, const Text& text);
// str(v), escaped unless it is marked as HTML already.
Text escaped_text(Runtime& rt, const Value& v);

}  // namespace kelda::jinja
