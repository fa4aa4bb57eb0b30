// Character classes that do not change with the machine: sets of code points from the pinned tables, and
// regular expressions rewritten to name them range by range.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/unicode_tables.h"

namespace kelda::text {

// Whether one of the sorted ranges has `code_point`. O(log n).
bool contains(std::span<const CodeRange> ranges, uint32_t code_point);
// The lower case of a character, itself if it has none. U+0130, whose lower case is two characters, has none
// here.
uint32_t lowercase(uint32_t code_point);

// Writes a pattern of Oniguruma's Ruby syntax, which Hugging Face's files use, for PCRE2: \s \S \d \D \w \W
// \b \B, \p{…}, \P{…} and \p{^…} become explicit ranges, outside and inside of brackets. Known properties:
// the general categories that kProperties in the source lists, Han, and three of our own: "Digit" for what
// the Digits pre-tokenizer cuts out (a little more than N: its tables are newer), "AddedWord" and
// "BertPunctuation". Throws kUnsupported for what would mean something else to PCRE2: other escapes,
// POSIX classes, nested brackets and "&&".
std::string pin_classes(std::string_view pattern);
// A pattern that matches exactly `text`.
std::string literal_pattern(std::string_view text);

}  // namespace kelda::text
