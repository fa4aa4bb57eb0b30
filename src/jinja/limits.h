// What one rendering may cost. A template comes with a model file, so it is hostile until shown otherwise:
// it may loop, recurse, double strings and print without end. Each bound is an error that names it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/checked.h"

namespace kelda::jinja {

struct Limits {
  // Expressions evaluated, plus the work on text: one per 64 bytes copied, one per 4 looked at one by one.
  int64_t steps = 3'000'000;
  int depth = 600;                     // of calls and expressions inside each other, while running
  int value_depth = 200;               // of lists and dicts inside each other
  std::size_t value_bytes = 24 << 20;  // memory of the values that are alive at one time
  std::size_t output_bytes = 16 << 20;
};

// The same for parsing. The text of a template is at most kMaxSourceBytes; expressions and blocks nest at
// most kMaxNesting deep; it has at most kMaxTokens words, none of its names is longer than kMaxNameBytes, and
// finding what its names mean takes at most kMaxResolveSteps.
inline constexpr std::size_t kMaxSourceBytes = 4 << 20;
inline constexpr int kMaxNesting = 200;
inline constexpr std::size_t kMaxTokens = 300'000;
inline constexpr std::size_t kMaxNameBytes = 1000;
inline constexpr int64_t kMaxResolveSteps = 20'000'000;

// Counts a rendering's steps, depth and memory, and throws Failure (errors.h) where a limit is passed.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  const Limits& limits() const { return limits_; }

  void step(int64_t n = 1) {
    if ((steps_ += n) > limits_.steps) too_many_steps();
  }
  // A copy of so many bytes, or a search in them.
  void touch(std::size_t n_bytes) { step(1 + static_cast<int64_t>(n_bytes / 64)); }
  // The same, character by character.
  void walk(std::size_t n_bytes) { step(1 + static_cast<int64_t>(n_bytes / 4)); }
  // Throws unless so many bytes more may be allocated. Called before allocating.
  void want(std::size_t n_bytes) const {
    if (n_bytes > limits_.value_bytes - live_bytes_) too_much_memory(n_bytes);
  }
  // The same for n things of `each` bytes. Takes any n, also one from the template.
  void want_many(uint64_t n, std::size_t each) const {
    const auto n_bytes = checked_mul(n, each);
    want(n_bytes ? static_cast<std::size_t>(*n_bytes) : SIZE_MAX);
  }
  void allocate(std::size_t n_bytes) {
    want(n_bytes);
    live_bytes_ += n_bytes;
  }
  void release(std::size_t n_bytes) noexcept { live_bytes_ -= n_bytes; }
  void check_value_depth(int depth) const {
    if (depth > limits_.value_depth) value_too_deep();
  }
  void check_output(std::size_t n_bytes) const {
    if (n_bytes > limits_.output_bytes) too_much_output();
  }

  // One level of recursion, for as long as it lives.
  class Level {
   public:
    explicit Level(Budget& budget) : budget_(budget) {
      if (++budget_.depth_ > budget_.limits_.depth) {
        --budget_.depth_;
        budget_.too_deep();
      }
    }
    ~Level() { --budget_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Budget& budget_;
  };

 private:
  [[noreturn]] void too_many_steps() const;
  [[noreturn]] void too_much_memory(std::size_t n_bytes) const;
  [[noreturn]] void too_deep() const;
  [[noreturn]] void value_too_deep() const;
  [[noreturn]] void too_much_output() const;

  Limits limits_;
  int64_t steps_ = 0;
  int depth_ = 0;
  std::size_t live_bytes_ = 0;
};

// The bytes of something that grows while a template runs, counted for as long as this lives.
class Charge {
 public:
  explicit Charge(Budget& budget) : budget_(budget) {}
  ~Charge() { budget_.release(n_bytes_); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  // Throws Failure where the limit is passed.
  void grow_to(std::size_t n_bytes) {
    if (n_bytes <= n_bytes_) return;
    budget_.allocate(n_bytes - n_bytes_);
    n_bytes_ = n_bytes;
  }

 private:
  Budget& budget_;
  std::size_t n_bytes_ = 0;
};

// The work of finding what the names of a template mean, before it runs. Throws Failure past the limit.
class Effort {
 public:
  static constexpr int64_t kLookup = 8;  // of a name in one scope; a visit of a node is 1
  void spend(int64_t n) {
    if ((steps_ += n) > kMaxResolveSteps) too_much();
  }

 private:
  [[noreturn]] static void too_much();
  int64_t steps_ = 0;
};

}  // namespace kelda::jinja
