// Byte-pair encoding: joins neighbouring symbols, lowest rank first, until no pair is in the list of merges.
//   Source: Sennrich et al. 2016 (arXiv 1508.07909), algorithm 1, run backwards over the learned list.
#pragma once

#include <cstdint>
#include <vector>

#include "learned/vocabulary.h"

namespace kelda::text {

class BpeMerges {
 public:
  // `merges` in order of rank; no pair twice.
  explicit BpeMerges(std::vector<Vocabulary::Merge> merges);
  const std::vector<Vocabulary::Merge>& all() const { return merges_; }

  // Working memory of one thread, kept between calls.
  struct Scratch {
    std::vector<uint32_t> next, previous;
    std::vector<uint64_t> heap;
  };
  // Merges `symbols` in place. Of equal ranks the leftmost goes first. O(n log n), no recursion; n < 2^32.
  void apply(std::vector<TokenId>& symbols, Scratch& scratch) const;

 private:
  // An open-addressing table of pairs; rank kNoRank where free. A power of two long, at most half full.
  struct Slot {
    TokenId left, right;
    uint32_t rank;
  };
  static constexpr uint32_t kNoRank = UINT32_MAX;
  // Rank of the pair, kNoRank if it is not to be merged.
  uint32_t rank(TokenId left, TokenId right) const;

  std::vector<Vocabulary::Merge> merges_;  // by rank
  std::vector<Slot> table_;
};

}  // namespace kelda::text
