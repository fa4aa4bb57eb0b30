// Arithmetic on sizes that came from outside. Every product and sum of numbers read from a file or a request
// goes through these; nullopt means it does not fit in 64 bits.
#pragma once

#include <cstdint>
#include <optional>

namespace kelda {

inline std::optional<uint64_t> checked_mul(uint64_t a, uint64_t b) {
  uint64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

inline std::optional<uint64_t> checked_add(uint64_t a, uint64_t b) {
  uint64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// The smallest multiple of `unit` that is ≥ n. unit > 0.
constexpr int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
constexpr int64_t ceil_div(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

}  // namespace kelda
