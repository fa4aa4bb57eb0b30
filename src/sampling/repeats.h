// Where the end of a text has been before: what DRY and the ban of repeated n-grams look at.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

// The tokens of a text from its end, and how much of that end stands at each earlier place.
class Repeats {
 public:
  // Of all of `text`. O(tokens), by the Z algorithm on the reversed text (Gusfield 1997, section 1.4).
  void assign(const History& text);

  std::size_t size() const { return reversed_.size(); }
  // The k-th token from the end; 0 is the last one.
  TokenId back(std::size_t k) const { return reversed_[k]; }
  // How many of the last tokens stand, in the same order, right before back(k − 1) too. 1 ≤ k < size().
  std::size_t repeated_before(std::size_t k) const { return lengths_[k]; }

 private:
  std::vector<TokenId> reversed_;
  std::vector<uint32_t> lengths_;
};

}  // namespace kelda::sampling
