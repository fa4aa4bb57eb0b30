// The keys and values of every token that can still be attended to. STATE, paged: memory is cut into blocks
// of 64 tokens, sequences own blocks through block tables, and nothing here belongs to the model, so that
// batching, shared prefixes and beams are a matter of who owns which block.
//
// Layers that see the same distance back form a group (one group for most models; two where sliding-window
// layers alternate with full ones). A group has its own pool and each sequence one table per group, so that a
// window's blocks can be freed.
//
// A block holds, for each layer of its group, for each KV head: K as [kKvBlock/16][head_dim][16 tokens], then
// V as [kKvBlock][head_dim]: the order in which the attention kernel reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "state/block_pool.h"
#include "tensor/buffer.h"
#include "tensor/kv_type.h"

namespace kelda {

struct KvShape {
  KvType type = KvType::kF16;
  int64_t n_kv_heads = 0;
  int64_t head_dim = 0;
  std::vector<int64_t> windows;  // one per layer: how many keys back it sees, its own included; 0 = all
  bool causal = true;            // a row sees no key after its own; else all of its run

  int64_t n_layers() const { return static_cast<int64_t>(windows.size()); }
  // K and V of one token over all layers (a window's freed blocks not considered).
  int64_t bytes_per_token() const { return n_layers() * n_kv_heads * head_dim * 2 * element_bytes(type); }
};

// One layer's view of the cache, for the kernels.
struct KvLayer {
  std::byte* base = nullptr;  // block 0 of this layer
  int64_t block_stride = 0;   // bytes between two blocks
  int64_t head_bytes = 0;     // bytes of one head's K (and of its V) in a block
  KvType type = KvType::kF16;
  int64_t n_kv_heads = 0, head_dim = 0;
  int64_t window = 0;
  bool causal = true;
  int group = 0;  // which of a sequence's block tables

  std::byte* k(BlockId block, int64_t head) const {
    return base + block * block_stride + head * 2 * head_bytes;
  }
  std::byte* v(BlockId block, int64_t head) const { return k(block, head) + head_bytes; }
};

class KvCache {
 public:
  // Room for max_tokens tokens over all sequences (rounded up to blocks, per group). Reserves address space
  // only: pages are taken when they are written. Throws kOutOfMemory.
  KvCache(const KvShape& shape, int64_t max_tokens);

  const KvShape& shape() const { return shape_; }
  int n_groups() const { return static_cast<int>(groups_.size()); }
  int64_t window(int group) const { return groups_[static_cast<std::size_t>(group)].window; }
  KvLayer layer(int64_t i);
  BlockPool& pool(int group) { return groups_[static_cast<std::size_t>(group)].pool; }
  const BlockPool& pool(int group) const { return groups_[static_cast<std::size_t>(group)].pool; }
  void copy_block(int group, BlockId from, BlockId to);

  uint64_t bytes_used() const;       // blocks owned by somebody
  uint64_t most_bytes_used() const;  // the sum of each group's most, so far
  uint64_t bytes_reserved() const;   // all blocks

 private:
  struct Group {
    int64_t window;
    int64_t n_layers;
    int64_t block_bytes;
    BlockPool pool;
    Buffer memory;
  };
  struct LayerPlace {
    int group;
    int64_t index;  // among the group's layers
  };
  KvShape shape_;
  std::vector<Group> groups_;
  std::vector<LayerPlace> places_;
};

}  // namespace kelda
