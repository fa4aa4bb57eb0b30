#include "state/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"

namespace kelda {
namespace {

// Bytes of one block of n_layers layers; nullopt where n_blocks of them are more than a BlockId or 63 bits
// can count.
std::optional<uint64_t> block_bytes(const KvShape& shape, int64_t n_layers, int64_t n_blocks) {
  std::optional<uint64_t> bytes = static_cast<uint64_t>(2 * element_bytes(shape.type) * kKvBlock);
  for (const int64_t factor : {n_layers, shape.n_kv_heads, shape.head_dim}) {
    if (bytes) bytes = checked_mul(*bytes, static_cast<uint64_t>(factor));
  }
  if (!bytes || n_blocks > std::numeric_limits<BlockId>::max()) return std::nullopt;
  const auto total = checked_mul(*bytes, static_cast<uint64_t>(n_blocks));
  return total && *total <= INT64_MAX ? bytes : std::nullopt;
}

Buffer reserve(uint64_t bytes, int64_t max_tokens) {
  try {
    return Buffer(bytes);
  } catch (const Error& e) {
    fail(e.code(), "a KV cache of {} tokens: {}", max_tokens, e.what());
  }
}

}  // namespace

KvCache::KvCache(const KvShape& shape, int64_t max_tokens) : shape_(shape) {
  KELDA_CHECK(shape.n_layers() > 0 && shape.n_kv_heads > 0 && shape.head_dim > 0 && max_tokens > 0);
  std::vector<int64_t> layers_of;  // per group
  for (const int64_t window : shape.windows) {
    const auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.window == window; });
    const auto group = found - groups_.begin();
    if (found == groups_.end()) {
      groups_.push_back({window, 0, 0, BlockPool(0), Buffer()});
      layers_of.push_back(0);
    }
    places_.push_back({static_cast<int>(group), layers_of[static_cast<std::size_t>(group)]++});
  }
  const int64_t n_blocks = max_tokens / kKvBlock + (max_tokens % kKvBlock != 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.n_layers = layers_of[g];
    const auto bytes = block_bytes(shape, group.n_layers, n_blocks);
    if (!bytes) {
      fail(ErrorCode::kOutOfMemory,
           "a KV cache of {} tokens ({} layers, {} KV heads of {} {} values) is more than can be addressed",
           max_tokens, group.n_layers, shape.n_kv_heads, shape.head_dim, name(shape.type));
    }
    group.block_bytes = static_cast<int64_t>(*bytes);
    group.memory = reserve(static_cast<uint64_t>(n_blocks * group.block_bytes), max_tokens);
    group.pool = BlockPool(n_blocks);
  }
}

KvLayer KvCache::layer(int64_t i) {
  const LayerPlace place = places_[static_cast<std::size_t>(i)];
  Group& group = groups_[static_cast<std::size_t>(place.group)];
  const int64_t head_bytes = shape_.head_dim * kKvBlock * element_bytes(shape_.type);
  return {group.memory.data() + place.index * shape_.n_kv_heads * 2 * head_bytes,
          group.block_bytes,
          head_bytes,
          shape_.type,
          shape_.n_kv_heads,
          shape_.head_dim,
          group.window,
          shape_.causal,
          place.group};
}

void KvCache::copy_block(int group, BlockId from, BlockId to) {
  Group& g = groups_[static_cast<std::size_t>(group)];
  std::memcpy(g.memory.data() + to * g.block_bytes, g.memory.data() + from * g.block_bytes,
              static_cast<std::size_t>(g.block_bytes));
}

uint64_t KvCache::bytes_used() const {
  uint64_t bytes = 0;
  for (const Group& g : groups_) bytes += static_cast<uint64_t>(g.pool.n_used() * g.block_bytes);
  return bytes;
}

uint64_t KvCache::most_bytes_used() const {
  uint64_t bytes = 0;
  for (const Group& g : groups_) bytes += static_cast<uint64_t>(g.pool.most_used() * g.block_bytes);
  return bytes;
}

uint64_t KvCache::bytes_reserved() const {
  uint64_t bytes = 0;
  for (const Group& g : groups_) bytes += static_cast<uint64_t>(g.pool.n_blocks() * g.block_bytes);
  return bytes;
}

}  // namespace kelda
