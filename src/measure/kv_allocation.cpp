#include "measure/kv_allocation.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "measure/text.h"
#include "state/sequence.h"

namespace kelda::measure {

uint64_t allocated_kv_bytes(const KvShape& shape, int64_t n_tokens, int64_t n_sequences) {
  const int64_t each = round_up(n_tokens, kKvBlock);
  const auto room = checked_mul(static_cast<uint64_t>(each), static_cast<uint64_t>(n_sequences));
  if (!room || *room > static_cast<uint64_t>(kMostTokens)) {
    fail(ErrorCode::kOutOfMemory, "the allocator is asked for at most {} tokens, not {} × {}", kMostTokens,
         n_sequences, each);
  }
  if (*room == 0) return 0;
  KvCache cache(shape, static_cast<int64_t>(*room));
  std::vector<Sequence> sequences;
  for (int64_t s = 0; s < n_sequences; ++s) {
    Sequence& sequence = sequences.emplace_back(cache);
    for (int64_t at = 0; at < n_tokens; at += kPrefillChunk) {
      const int64_t n = std::min(kPrefillChunk, n_tokens - at);
      sequence.reserve(n);
      sequence.advance(n);
    }
  }
  return cache.most_bytes_used();
}

}  // namespace kelda::measure
