// The 16-lane tree of kernels/kernel_table.h, as plain loops.
#pragma once

#include <cstdint>

namespace kelda::kernels::scalar {

inline constexpr int kSumLanes = 16;

// The larger one, b where neither is: a NaN in a is passed over. It is what the vector instruction computes.
[[maybe_unused]] static inline float larger(float a, float b) { return a > b ? a : b; }

// Adds the lanes in halves.
[[maybe_unused]] static inline float sum_lanes(float (&lane)[kSumLanes]) {
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

[[maybe_unused]] static inline float max_lanes(float (&lane)[kSumLanes]) {
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lane[i] = larger(lane[i], lane[i + half]);
  }
  return lane[0];
}

}  // namespace kelda::kernels::scalar
