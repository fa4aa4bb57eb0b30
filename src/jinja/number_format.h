// Numbers and strings laid out by a format specification: what "%5.2f" and "{:>8,}" have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

struct FormatSpec {
  uint32_t fill = ' ';  // a code point
  char align = 0;       // '<', '>', '^', '=' or 0 for the type's own
  char sign = '-';      // '-', '+' or ' '
  bool alternate = false;
  char grouping = 0;  // ',' or '_'
  int64_t width = 0;
  int64_t precision = -1;
  char type = 0;
};

// Throws Failure where the type does not fit the value, as Python does. `v` is a number.
std::string format_number(Runtime& rt, const Value& v, const FormatSpec& spec);
// Pads `body` to the width with `fill`; the fill's provenance is `p`.
Text pad(Runtime& rt, const Text& body, const FormatSpec& spec, char default_align, Provenance p);
// "[[fill]align][sign][#][0][width][grouping][.precision][type]". Throws ValueError, naming the value's type.
FormatSpec parse_format_spec(std::string_view text, std::string_view type_name);

}  // namespace kelda::jinja
