#include "sampling/chi_square.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/math.h"

namespace kelda::sampling {
namespace {

constexpr double kLogSqrtPi = 0.57236494292470008707;
constexpr int kMaxTerms = 100000;

// log Γ(dof / 2), by the recurrence from Γ(1) = 1 or Γ(1/2) = √π.
double log_gamma_half(int dof) {
  double log = dof % 2 == 0 ? 0 : kLogSqrtPi;
  for (double a = dof % 2 == 0 ? 1 : 0.5; a < 0.5 * dof; a += 1) log += log_f64(a);
  return log;
}

// γ(a, x) / Γ(a) × Γ(a) e^x x^−a = Σ x^n / (a (a + 1) … (a + n)); good for x < a + 1.
double lower_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < kMaxTerms && term > sum * 1e-17; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

// Γ(a, x) e^x x^−a = 1 / (x + 1 − a − 1 (1 − a) / (x + 3 − a − …)), evaluated from the front; good for x ≥ a
// + 1.
double upper_fraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1e300, d = 1 / b, value = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

}  // namespace

double chi_square_tail(double chi2, int dof) {
  KELDA_CHECK(dof >= 1);
  if (!(chi2 > 0)) return 1;
  const double a = 0.5 * dof, x = 0.5 * chi2;
  const double scale = exp_f64(a * log_f64(x) - x - log_gamma_half(dof));
  return x < a + 1 ? 1 - scale * lower_series(a, x) : scale * upper_fraction(a, x);
}

ChiSquare chi_square(std::span<const uint64_t> counts, std::span<const double> probabilities) {
  KELDA_CHECK(counts.size() == probabilities.size());
  constexpr double kFewest = 5;
  struct Cell {
    double count = 0, expected = 0;
  };
  double draws = 0;
  for (const uint64_t count : counts) draws += static_cast<double>(count);
  std::vector<Cell> cells;
  Cell rare;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Cell cell{static_cast<double>(counts[i]), draws * probabilities[i]};
    if (probabilities[i] == 0 && counts[i] > 0) return {std::numeric_limits<double>::infinity(), 0, 0};
    if (cell.expected >= kFewest) {
      cells.push_back(cell);
    } else {
      rare.count += cell.count;
      rare.expected += cell.expected;
    }
  }
  if (rare.expected >= kFewest || cells.empty()) {
    cells.push_back(rare);
  } else {  // too rare even together: counted with the rarest of the others
    const auto rarest = std::min_element(
        cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.expected < b.expected; });
    rarest->count += rare.count;
    rarest->expected += rare.expected;
  }
  ChiSquare result;
  result.dof = static_cast<int>(cells.size()) - 1;
  if (result.dof == 0) return result;
  for (const Cell& c : cells) result.chi2 += (c.count - c.expected) * (c.count - c.expected) / c.expected;
  result.p = chi_square_tail(result.chi2, result.dof);
  return result;
}

}  // namespace kelda::sampling
