// Python's round(): to the nearest, ties to even, decided on the exact decimal value.
#pragma once

#include <cstdint>

namespace kelda::jinja {

double round_float(double value, int64_t digits);
int64_t round_integer(int64_t value, int64_t digits);

}  // namespace kelda::jinja
