// What is left of the vocabulary on the way from logits to a drawn token. STATE of one draw.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kelda::sampling {

using TokenId = int32_t;

struct Candidate {
  TokenId id;
  float logit;
};

// The order of "best": higher logit first, ties by the lowest id.
inline bool better(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// Finds the n best of candidates that come in order of id, in O(all) and without a full sort: a buffer is cut
// to its best n whenever it is full, and what cannot be among them is recognised by one comparison.
class BestOf {
 public:
  // Into `out`, whose buffer grows to 2n or 64 at most, never beyond `n_all`. n ≥ 1.
  BestOf(std::size_t n, std::size_t n_all, std::vector<Candidate>& out);
  // How far the buffer grows.
  static std::size_t capacity(std::size_t n, std::size_t n_all) {
    return std::min(std::max<std::size_t>(2 * n, 64), n_all);
  }
  void offer(const Candidate& c) {
    if (full_ && c.logit <= bar_) return;  // ids rise, so an equal logit that comes later is worse
    out_.push_back(c);
    if (out_.size() == capacity_) cut();
  }
  // Leaves min(n, offered) in `out`. sorted: best first; else only the last one is sure to be in its place.
  void finish(bool sorted);

 private:
  void cut();

  std::size_t n_, capacity_;
  std::vector<Candidate>& out_;
  bool full_ = false;
  float bar_ = 0;
};

// Whether a raw logit gives its token a probability above 0: not for −inf and NaN.
inline bool can_be_drawn(float logit) { return logit >= std::numeric_limits<float>::lowest(); }

// `x` as a finite float: beyond the range, the largest or lowest one.
inline float finite_logit(double x) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kLargest, kLargest));
}

// Always in order of id, so that sums over candidates have one order; logits are always finite. Buffers are
// reused from draw to draw.
class Candidates {
 public:
  // All of the vocabulary except what can never be drawn: −inf and NaN. +inf becomes the largest float.
  void assign(std::span<const float> logits);

  std::span<Candidate> all() { return items_; }
  std::span<const Candidate> all() const { return items_; }
  std::size_t size() const { return items_.size(); }
  std::size_t vocab_size() const { return vocab_size_; }
  // nullptr if the id is not among them.
  Candidate* find(TokenId id);

  // The best one, and the n-th best (1 ≤ n ≤ size). O(size). There must be one.
  Candidate best() const;
  Candidate nth_best(std::size_t n);

  // Removes all but the n best; n ≥ 1. The memory it asks for depends on n and the vocabulary alone.
  void keep_best(std::size_t n);
  // Removes all that are worse than `last`, which stays itself if it is one of them.
  void keep_down_to(const Candidate& last);
  // Marks a token, if it is among them, for drop_banned() to remove: all of the marked ones in one pass.
  void ban(TokenId id) {
    if (Candidate* c = find(id)) {
      c->logit = kBanned;
      any_banned_ = true;
    }
  }
  void drop_banned() {
    if (any_banned_) drop_if([](const Candidate& c) { return c.logit == kBanned; });
    any_banned_ = false;
  }
  // Removes those for which drop(candidate) holds, be it all of them.
  template <typename Drop>
  void drop_if(Drop drop) {
    items_.erase(std::remove_if(items_.begin(), items_.end(), drop), items_.end());
  }

 private:
  static constexpr float kBanned = -std::numeric_limits<float>::infinity();

  std::vector<Candidate> items_;
  std::vector<Candidate> scratch_;
  std::size_t vocab_size_ = 0;
  bool any_banned_ = false;
};

}  // namespace kelda::sampling
