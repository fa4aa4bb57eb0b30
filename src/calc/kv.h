// The KV cache in bytes, by format, by length, by number of sequences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "calc/storage.h"
#include "state/kv_cache.h"

namespace kelda::calc {

// A way to keep keys and values.
struct KvFormat {
  std::string_view name;       // "f16", "q8"
  std::string_view what;       // for people: "8 bits, an fp16 scale per 32 values"
  Storage storage;             // of one head's values
  std::optional<KvType> type;  // the cache of this build that does it; none: it is what it would take
};
// f32, f16, and what 8 and 4 bits would take.
std::span<const KvFormat> kv_formats();

struct KvNeed {
  uint64_t token = 0;       // one token, over all layers
  uint64_t sequence = 0;    // a sequence of n tokens; a layer with a window holds at most its window
  uint64_t unwindowed = 0;  // the same if every layer kept all tokens
  uint64_t batch = 0;       // all sequences
};
// shape.type is not looked at. Throws kUsage beyond 64 bits.
//   token = 2 × n_layers × n_kv_heads × bytes of head_dim values
KvNeed kv_need(const KvShape& shape, Storage storage, int64_t n_tokens, int64_t n_sequences);

}  // namespace kelda::calc
