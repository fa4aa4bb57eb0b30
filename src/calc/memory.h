// Memory arithmetic: what a model takes before it is loaded, and how long a text fits. Bytes throughout; what
// is more than 64 bits can count is the largest number they can.
#pragma once

#include <cstdint>

#include "state/kv_cache.h"

namespace kelda::calc {

// For the buffers of a pass, beside weights and cache.
inline constexpr uint64_t kWorkspaceBytes = 100'000'000;

// K and V of n_tokens of one sequence, over all layers, at full attention:
//   2 × n_layers × n_kv_heads × head_dim × n_tokens × bytes per element.
uint64_t kv_bytes(const KvShape& shape, int64_t n_tokens);

// The most that the allocator hands out while so many tokens are read and written: whole blocks, and in
// windowed layers those of the window and of a chunk of the prompt that is being read (kPrefillChunk), with
// one more since neither begins at a block's border.
uint64_t kv_allocated_bytes(const KvShape& shape, int64_t n_tokens);

// Memory that this process could still take: the system's MemAvailable, cut to the cgroup's limit. 0 if
// unknown.
uint64_t available_memory();

// The longest single sequence, in tokens and at most n_ctx_train, whose cache fits beside `other` bytes in
// `available` bytes.
int64_t largest_window(const KvShape& shape, int64_t n_ctx_train, uint64_t other, uint64_t available);

// What a model with `learned` bytes of weights and vocabulary takes to run one sequence of n_tokens.
uint64_t bytes_needed(const KvShape& shape, int64_t n_tokens, uint64_t learned);

// The largest resident size this process has had so far.
uint64_t peak_resident_bytes();

}  // namespace kelda::calc
