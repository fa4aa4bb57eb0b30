#include "state/block_pool.h"

#include <algorithm>

#include "base/check.h"

namespace kelda {

void BlockPool::prepare(int64_t n) {
  const auto room = static_cast<std::size_t>(std::min(n_blocks_, static_cast<int64_t>(owners_.size()) + n));
  if (room <= owners_.capacity() && room <= free_.capacity()) return;
  const std::size_t wanted =
      std::max(room, std::min(static_cast<std::size_t>(n_blocks_), 2 * owners_.size()));
  owners_.reserve(wanted);
  free_.reserve(wanted);  // every block may come back: release() must not throw either
}

BlockId BlockPool::take() {
  if (n_free() == 0) return kNoBlock;
  BlockId block;
  if (!free_.empty()) {
    block = free_.back();
    free_.pop_back();
    owners_[static_cast<std::size_t>(block)] = 1;
  } else {
    prepare(1);
    block = static_cast<BlockId>(owners_.size());
    owners_.push_back(1);
  }
  most_used_ = std::max(most_used_, n_used());
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
