// Character classes that do not change with the machine: sets of code points from the pinned tables, and
// regular expressions rewritten to name them range by range.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/unicode_tables.h"

namespace kelda::text {

// Replaces \s, \S, \p{…} and \P{…} by explicit ranges, outside and inside of brackets. Known properties: L
// and N, and "Digit" for what Hugging Face's Digits pre-tokenizer cuts out (a little more than N: its tables
// are newer). Throws kUnsupported for an escape whose meaning depends on the library's own tables (\w, \d,
// \b, \p{Lu}, …).
std::string pin_classes(std::string_view pattern);

}  // namespace kelda::text
