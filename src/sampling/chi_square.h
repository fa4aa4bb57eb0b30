// Pearson's chi-square test of counts against an exact distribution.
#pragma once

#include <cstdint>
#include <span>

namespace kelda::sampling {

struct ChiSquare {
  double chi2 = 0;
  int dof = 0;   // 0: one outcome is certain, nothing is left to test
  double p = 1;  // of a chi2 at least this large if the counts came from the distribution; 0 after an
                 // impossible outcome
};

// counts and probabilities: one per outcome; probabilities add up to 1. Outcomes expected fewer than five
// times are counted as one.
ChiSquare chi_square(std::span<const uint64_t> counts, std::span<const double> probabilities);

// The upper tail of the chi-square distribution, error below 1e-12. dof ≥ 1.
//   Source: Abramowitz & Stegun 1964, 26.4.19, 6.5.29 (series) and 6.5.31 (continued fraction).
double chi_square_tail(double chi2, int dof);

}  // namespace kelda::sampling
