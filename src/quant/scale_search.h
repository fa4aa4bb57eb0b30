// Quantizers for the formats that the gguf package only reads: try a row of scales, give each its best codes,
// refit the scale to those codes by least squares, keep the one with the smallest squared error. Then the
// scales themselves become small integers under one float per 256 columns, and the codes are chosen again for
// the scales that came out. Infinities and NaN give some finite bytes.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/half.h"

namespace kelda::quant {

// v to the nearest integer in lowest … highest; NaN gives the lowest.
inline int nearest_code(float v, int lowest, int highest) {
  if (!(v > static_cast<float>(lowest))) return lowest;
  if (v >= static_cast<float>(highest)) return highest;
  return static_cast<int>(std::floor(v + 0.5f));
}

// v / step, and 0 where the step is 0.
inline float steps(float v, float step) { return step == 0 ? 0 : v / step; }

// The element of largest magnitude (the first of equals); 0 if an element is not finite.
inline float largest_magnitude(const float* x, int n) {
  float largest = 0;
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return 0;
    if (std::fabs(x[i]) > std::fabs(largest)) largest = x[i];
  }
  return largest;
}

// The scale with the smallest Σ (x − scale · value(x / scale))² among first guesses in `guesses`, each
// refitted to the values it leads to. value(v) is the number of the format nearest to v.
template <int kGuesses, typename Value>
float best_scale(const float* x, int n, const float (&guesses)[kGuesses], Value value) {
  double best = 0;
  float scale = 0;
  for (const float guess : guesses) {
    if (guess == 0 || !std::isfinite(1 / guess)) continue;
    double xv = 0, vv = 0;
    for (int i = 0; i < n; ++i) {
      const auto v = static_cast<double>(value(x[i] / guess));
      xv += v * static_cast<double>(x[i]);
      vv += v * v;
    }
    // With the scale xv / vv the squared error is Σ x² − xv² / vv.
    if (vv > 0 && xv * xv > best * vv) {
      best = xv * xv / vv;
      scale = static_cast<float>(xv / vv);
    }
  }
  return scale;
}

// For codes lowest … −lowest − 1: the element of largest magnitude lies near the lowest code.
inline float best_symmetric_scale(const float* x, int n, int lowest) {
  constexpr int kGuesses = 19;
  const float largest = largest_magnitude(x, n);
  float guesses[kGuesses];
  for (int i = 0; i < kGuesses; ++i) {
    const int step = i - kGuesses / 2;
    guesses[i] = largest / (static_cast<float>(lowest) + 0.1f * static_cast<float>(step));
  }
  return best_scale(x, n, guesses, [lowest](float v) { return nearest_code(v, lowest, -lowest - 1); });
}

// x ≈ scale · code − min with codes 0 … highest, scale ≥ 0, min ≥ 0.
struct AffineFit {
  float scale, min;
};

namespace affine {

struct Sums {
  double x = 0, c = 0, xc = 0, cc = 0;
};

// Least squares for given codes; min is held at 0 where it would be negative.
inline AffineFit refit(const Sums& s, int n) {
  const double determinant = n * s.cc - s.c * s.c;
  if (determinant > 0) {
    const double scale = (n * s.xc - s.x * s.c) / determinant, min = (scale * s.c - s.x) / n;
    if (scale > 0 && min >= 0) return {static_cast<float>(scale), static_cast<float>(min)};
  }
  return {s.cc > 0 && s.xc > 0 ? static_cast<float>(s.xc / s.cc) : 0.0f, 0.0f};
}

inline int code(float x, AffineFit fit, int highest) {
  return nearest_code(steps(x + fit.min, fit.scale), 0, highest);
}

inline double squared_error(const float* x, int n, AffineFit fit, int highest) {
  double error = 0;
  for (int i = 0; i < n; ++i) {
    const auto back = static_cast<double>(fit.scale * static_cast<float>(code(x[i], fit, highest)) - fit.min);
    error += (back - static_cast<double>(x[i])) * (back - static_cast<double>(x[i]));
  }
  return error;
}

}  // namespace affine

inline AffineFit best_affine(const float* x, int n, int highest) {
  if (largest_magnitude(x, n) == 0) return {0, 0};
  float low = 0, high = x[0];
  for (int i = 0; i < n; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  AffineFit best = {0, -low};  // all that is left where every element is `low`
  double best_error = affine::squared_error(x, n, best, highest);
  for (int i = -9; i <= 9; ++i) {
    AffineFit fit = {(high - low) / (static_cast<float>(highest) + 0.1f * static_cast<float>(i)), -low};
    if (!(fit.scale > 0)) continue;
    affine::Sums sums;
    for (int k = 0; k < n; ++k) {
      const double c = affine::code(x[k], fit, highest), v = static_cast<double>(x[k]);
      sums.x += v, sums.c += c, sums.xc += v * c, sums.cc += c * c;
    }
    fit = affine::refit(sums, n);
    const double error = affine::squared_error(x, n, fit, highest);
    if (error < best_error) best = fit, best_error = error;
  }
  return best;
}

// The step under which `n` numbers ≥ 0 become integers 0 … highest; rounded to f16, as it is stored.
inline kelda::f16 unsigned_step(const float* numbers, int n, int highest) {
  return to_f16(std::fabs(largest_magnitude(numbers, n)) / static_cast<float>(highest));
}
// For integers lowest … −lowest − 1: the largest magnitude becomes the lowest.
inline kelda::f16 signed_step(const float* numbers, int n, int lowest) {
  return to_f16(largest_magnitude(numbers, n) / static_cast<float>(lowest));
}

}  // namespace kelda::quant
