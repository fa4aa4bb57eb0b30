// The kernel tables that the row tests compare with the scalar one: the templates on plain arrays everywhere,
// and each instruction set that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "kernels/kernel_table.h"
#include "kernels/vector/table.h"
#include "plain_lanes.h"

namespace kelda::kernels::test {

inline KernelTable plain_table() {
  const KernelTable& scalar = scalar_table();
  return vector::table<PlainLanes>("plain", scalar.matmul, scalar.is_native, scalar.quantize_row);
}

// Every implementation but the reference.
inline std::vector<KernelTable> implementations() {
  std::vector<KernelTable> all = {plain_table()};
  for (const Isa isa : kIsas) {
    if (isa != Isa::kScalar && available(isa)) all.push_back(table_of(isa));
  }
  return all;
}

// Index of the first element that differs, -1 if none does. A NaN equals any NaN: which of several NaNs an
// operation hands on is not defined by IEEE 754.
inline int64_t first_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return static_cast<int64_t>(i);
  }
  return -1;
}

// n numbers of every size: mostly N(0, 1), some huge, tiny, denormal, zero of both signs; with `wild`,
// infinities and NaN.
inline std::vector<float> numbers(std::mt19937& rng, int64_t n, bool wild) {
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> kind(0, 39);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) {
    v = normal(rng);
    switch (kind(rng)) {
      case 0:
        v *= 1e30f;
        break;
      case 1:
        v *= 1e-30f;
        break;
      case 2:
        v *= 1e-41f;
        break;
      case 3:
        v = 0.0f;
        break;
      case 4:
        v = -0.0f;
        break;
      case 5:
        v *= 100.0f;
        break;
      case 6:
        v = wild ? kInf : v;
        break;
      case 7:
        v = wild ? -kInf : v;
        break;
      case 8:
        v = wild ? std::numeric_limits<float>::quiet_NaN() : v;
        break;
      default:
        break;
    }
  }
  return x;
}

}  // namespace kelda::kernels::test
