// Questions about texts, as Python's str.isX answer them.
#pragma once

#include <string_view>

#include "jinja/unicode.h"

namespace kelda::jinja {

// Not empty, and every character is of the class.
bool all_are(std::string_view text, CharClass wanted);
// Has cased characters, all of them lower (upper) case.
bool is_lower_case(std::string_view text);
bool is_upper_case(std::string_view text);
bool is_title_case(std::string_view text);
bool is_all_alnum(std::string_view text);
bool is_python_identifier(std::string_view text);

}  // namespace kelda::jinja
