// What the cache's allocator hands out, counted rather than computed.
#pragma once

#include <cstdint>

#include "state/kv_cache.h"

namespace kelda::measure {

inline constexpr int64_t kMostTokens = int64_t{1} << 30;

// Bytes owned by n_sequences sequences of n_tokens each, appended a chunk at a time as the engine does. Runs
// no model and touches no cache memory. Throws kOutOfMemory beyond kMostTokens in all, or without address
// space for them.
uint64_t allocated_kv_bytes(const KvShape& shape, int64_t n_tokens, int64_t n_sequences);

}  // namespace kelda::measure
