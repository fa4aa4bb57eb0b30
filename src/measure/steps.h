// Decoding steps of one sequence at a given depth, timed again and again from the same place.
#pragma once

#include "measure/text.h"

namespace kelda::measure {

// Of the window, beyond the depth: a pass writes into a copy of a block, and takes up to this many steps.
inline constexpr int64_t kStepRoom = 2 * kKvBlock;
inline constexpr int kMostSteps = kKvBlock - 1;

class StepsAtDepth {
 public:
  // Reads depth − 1 tokens. The runner outlives it; its window and cache have room for depth + kStepRoom.
  // depth ≥ 2.
  StepsAtDepth(Runner& runner, int64_t depth, const Progress& progress);

  int64_t depth() const { return depth_; }
  // Takes n ≤ kMostSteps steps of one token each, about `depth` deep, and gives the seconds of each. One more
  // before them is not counted: it fetches what was pushed out of the processor's caches.
  std::vector<double> pass(int n_steps);

 private:
  Runner& runner_;
  int64_t depth_;
  Sequence base_;
};

// Reads a text of n tokens as the engine would, from nothing; in seconds.
double seconds_to_read(Runner& runner, int64_t n, const Progress& progress);

}  // namespace kelda::measure
