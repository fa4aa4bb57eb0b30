// The shortest prefix of the candidates, nearest first, whose weights reach a mass: what top-p and typical-p
// keep.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "sampling/candidates.h"
#include "sampling/softmax.h"

namespace kelda::sampling {

// Sorting a whole vocabulary costs more than everything else here. So weights are first summed in buckets by
// distance; only the bucket in which the sum passes the mass is sorted. A bucket is the leading bits of the
// distance as a float: 32 to each doubling, whatever the scale.
class ShortestPrefix {
 public:
  // Room for `n` candidates: up to so many, keep() asks for no memory.
  void reserve(std::size_t n) { inside_.reserve(n); }

  // Removes the candidates behind the prefix; ties in distance go to the better one. `weights` are those of
  // `candidates`; distance(candidate) ≥ 0. Keeps at least one, and all where rounding lets the sums miss
  // `mass`. Sums in double: by bucket in order of id, then in order of distance.
  template <typename Distance>
  void keep(Candidates& candidates, const Weights& weights, double mass, Distance distance) {
    sums_.fill(0);
    const std::span<const Candidate> all = candidates.all();
    for (std::size_t i = 0; i < all.size(); ++i) sums_[bucket_of(distance(all[i]))] += weights.each()[i];
    double sum = 0;
    std::size_t bucket = 0;
    while (bucket < kBuckets && sum + sums_[bucket] < mass) sum += sums_[bucket++];
    if (bucket == kBuckets) return;
    inside_.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double d = distance(all[i]);
      if (bucket_of(d) == bucket) inside_.push_back({all[i], d, weights.each()[i]});
    }
    const Inside last = last_of(sum, mass);
    candidates.drop_if([&](const Candidate& c) { return before(last, {c, distance(c), 0}); });
  }

 private:
  struct Inside {
    Candidate c;
    double distance, weight;
  };
  // Distances below 2^-20 share the first bucket; those from 2^10 the last.
  static constexpr int kDroppedBits = 18;  // of a float's 32: leaves 8 bits of exponent and 5 of mantissa
  static constexpr uint32_t kFirst = (127u - 20) << 5, kLast = (127u + 10) << 5;
  static constexpr std::size_t kBuckets = kLast - kFirst + 1;

  static std::size_t bucket_of(double distance) {
    const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(distance)) >> kDroppedBits;
    return std::clamp(bits, kFirst, kLast) - kFirst;
  }
  static bool before(const Inside& a, const Inside& b) {
    return a.distance < b.distance || (a.distance == b.distance && better(a.c, b.c));
  }
  // The one of the bucket with which the mass is reached, `sum` being that of the buckets before it.
  Inside last_of(double sum, double mass);

  std::array<double, kBuckets> sums_;
  std::vector<Inside> inside_;
};

}  // namespace kelda::sampling
