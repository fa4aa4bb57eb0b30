// Upper, lower and title case of texts; each character of the result has the provenance of the one it comes
// from.
#pragma once

#include "jinja/text.h"
#include "jinja/unicode.h"

namespace kelda::jinja {

class Runtime;

Text map_case(Runtime& rt, const Text& text, Case wanted);
Text capitalize(Runtime& rt, const Text& text);
Text swap_case(Runtime& rt, const Text& text);
// str.title(): what follows a cased character is lower case.
Text title_case(Runtime& rt, const Text& text);

}  // namespace kelda::jinja
