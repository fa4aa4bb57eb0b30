// Which cache blocks are free, and how many owners each has. STATE. Knows numbers only, no memory.
#pragma once

#include <cstdint>
#include <vector>

namespace kelda {

using BlockId = int32_t;
inline constexpr BlockId kNoBlock = -1;

class BlockPool {
 public:
  explicit BlockPool(int64_t n_blocks);

  int64_t n_blocks() const { return static_cast<int64_t>(owners_.size()); }
  int64_t n_free() const { return static_cast<int64_t>(free_.size()); }
  int64_t n_used() const { return n_blocks() - n_free(); }

  // A block with one owner, kNoBlock if none is free.
  BlockId take();
  void share(BlockId block);  // one owner more
  // One owner less; true if that was the last and the block is free again.
  bool release(BlockId block);
  int32_t owners(BlockId block) const { return owners_[static_cast<std::size_t>(block)]; }

 private:
  std::vector<int32_t> owners_;
  std::vector<BlockId> free_;  // a stack: the block used last is taken first
};

}  // namespace kelda
