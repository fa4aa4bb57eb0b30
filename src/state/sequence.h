// One text being read or written: how many of its tokens are in the cache, and in which blocks. STATE, owned
// by whoever runs the text, never by the model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state/kv_cache.h"

namespace kelda {

// Tokens of a prompt that are read, and have blocks reserved, at a time, unless who reads them says
// otherwise.
inline constexpr int64_t kPrefillChunk = 512;

class Sequence {
 public:
  explicit Sequence(KvCache& cache);  // the cache outlives the sequence
  ~Sequence();
  Sequence(Sequence&& other) noexcept;
  Sequence& operator=(Sequence&&) = delete;

  // Shares every block with the copy; whoever writes into a shared block first gets one of its own.
  Sequence fork() const;

  int64_t length() const { return length_; }  // tokens in the cache: the next one's position
  // Makes sure that n more tokens have blocks to be written to, owned by this sequence alone. Throws
  // kOutOfMemory and changes nothing if the pool has too few.
  void reserve(int64_t n);
  // n more tokens are now in the cache (n ≤ what was reserved). Frees blocks that no window reaches any more.
  void advance(int64_t n);
  // Forgets all tokens from position n on; n ≤ length(). Positions whose blocks a window has freed cannot be
  // gone back to: KELDA_CHECK that the window in front of n is still there.
  void truncate(int64_t n);
  // The smallest n that truncate() can go back to: 0 unless a window has freed blocks.
  int64_t earliest() const;

  // Block of position p is blocks(group)[p / kKvBlock]; kNoBlock where a window has passed it by.
  std::span<const BlockId> blocks(int group) const { return tables_[static_cast<std::size_t>(group)]; }

 private:
  void release_all();
  KvCache* cache_;
  int64_t length_ = 0;
  std::vector<std::vector<BlockId>> tables_;  // one per group
};

}  // namespace kelda
