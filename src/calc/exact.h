// Exact arithmetic on counts: a product or sum that 64 bits cannot hold is an error that says of what.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"

namespace kelda::calc {

[[noreturn]] inline void too_large(std::string_view what) {
  fail(ErrorCode::kUsage, "{}: more than 64 bits can count", what);
}

// The product of the factors, which are counts (≥ 0). Throws kUsage naming `what`.
inline uint64_t product(std::string_view what, std::initializer_list<int64_t> factors) {
  uint64_t result = 1;
  for (const int64_t factor : factors) {
    const auto next = checked_mul(result, static_cast<uint64_t>(factor));
    if (!next) too_large(what);
    result = *next;
  }
  return result;
}

// a × b and a + b likewise.
inline uint64_t times(std::string_view what, uint64_t a, uint64_t b) {
  const auto result = checked_mul(a, b);
  if (!result) too_large(what);
  return *result;
}
inline uint64_t plus(std::string_view what, uint64_t a, uint64_t b) {
  const auto result = checked_add(a, b);
  if (!result) too_large(what);
  return *result;
}

}  // namespace kelda::calc
