// Texts to numbers, as Python's int() and float() read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kelda::jinja {

// White space around, a sign, single underscores between digits, digits of any script. nullopt: no integer.
// Throws Failure (kLimit) where it does not fit 64 bits. base 2…36, or 0: by the prefix.
std::optional<int64_t> parse_int(std::string_view text, int base);
// As before; also "inf", "nan", "infinity".
std::optional<double> parse_float(std::string_view text);

}  // namespace kelda::jinja
