// Backslash escapes of string literals, as Python's "unicode-escape" reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kelda::jinja {

// Appends the content of a literal (without its quotes) to `out`. Returns what is wrong with it, or nullopt.
// Unknown escapes keep their backslash; \N{…} and lone surrogates are refused.
std::optional<std::string> unescape(std::string_view literal, std::string& out);

}  // namespace kelda::jinja
