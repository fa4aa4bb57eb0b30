// Weights that are a function of (seed, tensor name, index), so that the script which asked another
// implementation about them, scripts/make_family_golden.py, could compute the same ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/math.h"
#include "base/rng.h"

namespace kelda::testing {

// By our own functions, so that the numbers are the same on every machine.
inline double normal(uint64_t seed, uint32_t stream, uint32_t i) {
  const DrawKey key{seed, stream, i};
  const double u = 1.0 - uniform(key, 0), v = uniform(key, 1);
  return std::sqrt(-2 * log_f64(u)) * sincos_f64(2 * M_PI * v).cos;
}

// CRC-32 as in zlib.
inline uint32_t crc32(std::string_view text) {
  uint32_t crc = ~uint32_t{0};
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

// Matrices: 1.5 / √columns × normal. Vectors: 0.1 × normal, and 1 more where they are a weight.
inline std::vector<float> formula_weights(uint64_t seed, std::string_view name,
                                          const std::vector<int64_t>& shape) {
  std::size_t n = 1;
  for (const int64_t d : shape) n *= static_cast<std::size_t>(d);
  const bool matrix = shape.size() > 1;
  const double scale = matrix ? 1.5 / std::sqrt(static_cast<double>(shape.back())) : 0.1;
  const double middle = !matrix && name.ends_with(".weight") ? 1.0 : 0.0;
  const uint32_t stream = crc32(name);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(middle + scale * normal(seed, stream, static_cast<uint32_t>(i)));
  }
  return values;
}

}  // namespace kelda::testing
