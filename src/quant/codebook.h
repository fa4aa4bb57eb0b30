// Formats whose 4-bit codes are places in a table of integers.
#pragma once

#include <cmath>
#include <cstdint>

#include "quant/scale_search.h"

namespace kelda::quant {

// Of iq4_nl and iq4_xs: finer around zero, as weights are.
inline constexpr int8_t kNonLinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

// The place of the value of kNonLinear nearest to v.
inline int nearest_non_linear(float v) {
  int place = 0;
  while (place < 15 && v > 0.5f * static_cast<float>(kNonLinear[place] + kNonLinear[place + 1])) ++place;
  return place;
}

// The scale under which 32 numbers are nearest to the table.
inline float best_non_linear_scale(const float* x) {
  constexpr int kGuesses = 40;
  const float largest = largest_magnitude(x, 32);
  float guesses[kGuesses];
  for (int i = 0; i < kGuesses; ++i) {  // the largest lies near either end of the table
    const int step = i / 2;
    const float end = 98.0f + 2.0f * static_cast<float>(step);
    guesses[i] = largest / (i % 2 == 0 ? end : -end);
  }
  return best_scale(x, 32, guesses, [](float v) { return kNonLinear[nearest_non_linear(v)]; });
}

}  // namespace kelda::quant
