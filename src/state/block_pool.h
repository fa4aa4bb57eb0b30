// Which cache blocks are free, and how many owners each has. STATE. Knows numbers only, no memory.
#pragma once

#include <cstdint>
#include <vector>

namespace kelda {

using BlockId = int32_t;
inline constexpr BlockId kNoBlock = -1;

// Its own memory grows with the blocks that were ever in use, not with the number there may be: a model file
// may claim any.
class BlockPool {
 public:
  explicit BlockPool(int64_t n_blocks) : n_blocks_(n_blocks) {}

  int64_t n_blocks() const { return n_blocks_; }
  int64_t n_free() const { return n_blocks_ - n_used(); }
  int64_t n_used() const { return static_cast<int64_t>(owners_.size() - free_.size()); }
  int64_t most_used() const { return most_used_; }  // so far

  // Room for n more takes, so that they cannot throw. Throws std::bad_alloc and changes nothing.
  void prepare(int64_t n);
  // A block with one owner, kNoBlock if none is free.
  BlockId take();
  void share(BlockId block);  // one owner more
  // One owner less; true if that was the last and the block is free again.
  bool release(BlockId block);
  int32_t owners(BlockId block) const { return owners_[static_cast<std::size_t>(block)]; }

 private:
  int64_t n_blocks_;
  int64_t most_used_ = 0;
  std::vector<int32_t> owners_;  // of the blocks that were ever taken: ids below owners_.size()
  std::vector<BlockId> free_;    // of those, the ones given back: a stack, the block used last is taken first
};

}  // namespace kelda
