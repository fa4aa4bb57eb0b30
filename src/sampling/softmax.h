// Softmax in double, with sums in order of id: the same bits on every machine.
#pragma once

#include <span>
#include <vector>

#include "sampling/candidates.h"

namespace kelda::sampling {

// e^x for x ≤ 0, zero below −708. Relative error < 4e-15; e^0 == 1 exactly.
// Several times faster than exp_f64, which fits a whole vocabulary badly: a table of exp_f64's values times a
// short polynomial, of + − × alone, so that no processor needs a fused multiply-add to be fast.
double exp_below_zero(double x);

// exp(logit − max) of each candidate, and sums of them. Reused from draw to draw.
class Weights {
 public:
  static constexpr std::size_t kBlock = 256;

  // Room for `n` candidates: up to so many, assign() asks for no memory.
  void reserve(std::size_t n);
  // `max` is the largest logit of `candidates`, so the total is ≥ 1.
  void assign(std::span<const Candidate> candidates, float max);
  double total() const { return total_; }
  std::span<const double> each() const { return each_; }

  // The index i for which u × total falls into the i-th weight when the weights are laid end to end; u in [0,
  // 1). Never one of weight 0.
  std::size_t pick(double u) const;

 private:
  std::vector<double> each_;
  std::vector<double> blocks_;  // sums of kBlock neighbours
  double total_ = 0;
};

// log Σ exp(logit) over the logits that are not −inf or NaN; −inf if there is none.
double log_sum_exp(std::span<const float> logits);

}  // namespace kelda::sampling
