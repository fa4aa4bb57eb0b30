#include "state/block_pool.h"

#include "base/check.h"

namespace kelda {

BlockPool::BlockPool(int64_t n_blocks) : owners_(static_cast<std::size_t>(n_blocks), 0) {
  free_.reserve(owners_.size());
  for (int64_t b = n_blocks; b-- > 0;) free_.push_back(static_cast<BlockId>(b));
}

BlockId BlockPool::take() {
  if (free_.empty()) return kNoBlock;
  const BlockId block = free_.back();
  free_.pop_back();
  owners_[static_cast<std::size_t>(block)] = 1;
  return block;
}

void BlockPool::share(BlockId block) {
  KELDA_CHECK(owners(block) > 0);
  ++owners_[static_cast<std::size_t>(block)];
}

bool BlockPool::release(BlockId block) {
  KELDA_CHECK(owners(block) > 0);
  if (--owners_[static_cast<std::size_t>(block)] > 0) return false;
  free_.push_back(block);
  return true;
}

}  // namespace kelda
