// JSON text to values and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "jinja/value.h"

namespace kelda::jinja {

struct JsonLimits {
  int max_depth = 190;
  bool unique_keys = false;  // a key given twice is an error; else its last value counts, in the place of the
                             // first, as in Python
};

// Parses one JSON text; everything in it has provenance `p`. Key order is kept. Integers beyond 64 bits are
// kept exactly. Throws kelda::Error kBadInput, saying in which line and column, for what is not JSON (NaN,
// lone surrogates and anything after the text included), and for integers of more than 4300 digits and what
// is beyond the limits.
Value parse_json(std::string_view json, Provenance p, JsonLimits limits = {});

struct DumpOptions {
  bool ensure_ascii = false;
  std::optional<Text> indent;                            // per level; absent: all in one line
  Text item_separator = Text(", ", Provenance::kOwned);  // "," is Python's own choice with an indent
  Text key_separator = Text(": ", Provenance::kOwned);
  bool sort_keys = false;
};

// As Python's json.dumps. Strings keep their provenance; brackets and quotes have that of the list or dict
// that they belong to; separators and indents are owned where both they and that are. Throws Failure
// (TypeError) for what JSON has not, and what `budget` (may be null) throws.
Text dump_json_text(const Value& value, const DumpOptions& options, Budget* budget);
std::string dump_json(const Value& value, const DumpOptions& options = {});

}  // namespace kelda::jinja
