#include "sampling/softmax.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/check.h"
#include "base/math.h"

namespace kelda::sampling {
namespace {

// x = (k / 1024) ln 2 + r, |r| ≤ ln 2 / 2048; e^x = 2^(k / 1024) × e^r.
constexpr int kBits = 10;
constexpr int64_t kSteps = 1 << kBits;
constexpr double kStepsPerLn2 = 0x1.71547652b82fep+10;
// ln 2 / 1024 in two parts; the first has so few bits that k × it is exact.
constexpr double kStepHi = 0x1.62e42fe000000p-11, kStepLo = 0x1.f473de6af278fp-40;
constexpr double kRound = 0x1.8p52;  // adding and taking it away rounds to the nearest integer

using Table = std::array<double, kSteps>;  // 2^(i / 1024)

const Table& powers() {
  static const Table table = [] {
    Table t;
    for (int64_t i = 0; i < kSteps; ++i)
      t[static_cast<std::size_t>(i)] = exp_f64(static_cast<double>(i) / kStepsPerLn2);
    return t;
  }();
  return table;
}

inline double exp_with(const Table& table, double x) {
  if (!(x >= -708.0)) return 0.0;
  const double steps = (x * kStepsPerLn2 + kRound) - kRound;
  const double r = (x - steps * kStepHi) - steps * kStepLo;
  const double p = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6)));
  const auto k = static_cast<int64_t>(steps);
  const double power = std::bit_cast<double>(static_cast<uint64_t>((k >> kBits) + 1023) << 52);
  return table[static_cast<std::size_t>(k & (kSteps - 1))] * p * power;
}

}  // namespace

double exp_below_zero(double x) { return exp_with(powers(), x); }

void Weights::reserve(std::size_t n) {
  each_.reserve(n);
  blocks_.reserve((n + kBlock - 1) / kBlock);
}

void Weights::assign(std::span<const Candidate> candidates, float max) {
  const Table& table = powers();
  const std::size_t n = candidates.size();
  each_.resize(n);
  blocks_.clear();
  total_ = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    double sum = 0;
    for (std::size_t i = begin; i < std::min(begin + kBlock, n); ++i) {
      each_[i] = exp_with(table, static_cast<double>(candidates[i].logit) - static_cast<double>(max));
      sum += each_[i];
    }
    blocks_.push_back(sum);
    total_ += sum;
  }
}

std::size_t Weights::pick(double u) const {
  KELDA_CHECK(total_ > 0 && u >= 0 && u < 1);
  // Below the total even after rounding, and both walks add up the same numbers in the same order as assign()
  // did: each ends before its last step or at it.
  const double target = u * total_;
  double before = 0;
  std::size_t block = 0;
  while (before + blocks_[block] <= target) before += blocks_[block++];
  std::size_t i = block * kBlock;
  for (double sum = each_[i]; before + sum <= target; sum += each_[i]) ++i;
  return i;
}

double log_sum_exp(std::span<const float> logits) {
  float max = -std::numeric_limits<float>::infinity();
  for (const float x : logits) {
    if (can_be_drawn(x)) max = std::max(max, finite_logit(x));
  }
  if (!can_be_drawn(max)) return -std::numeric_limits<double>::infinity();
  const Table& table = powers();
  double sum = 0;
  for (const float x : logits) {
    if (can_be_drawn(x))
      sum += exp_with(table, static_cast<double>(finite_logit(x)) - static_cast<double>(max));
  }
  return static_cast<double>(max) + log_f64(sum);
}

}  // namespace kelda::sampling
