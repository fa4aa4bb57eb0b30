#include "calc/kv.h"

#include <algorithm>

#include "calc/exact.h"

namespace kelda::calc {
namespace {

constexpr char kWhat[] = "the bytes of the KV cache";

constexpr KvFormat kFormats[] = {
    {"f32", "32 bits", {1, 4}, KvType::kF32},
    {"f16", "16 bits", {1, 2}, KvType::kF16},
    {"q8", "8 bits, an fp16 scale per 32 values", {32, 34}, std::nullopt},
    {"q4", "4 bits, an fp16 scale per 32 values", {32, 18}, std::nullopt},
};

}  // namespace

std::span<const KvFormat> kv_formats() { return kFormats; }

KvNeed kv_need(const KvShape& shape, Storage storage, int64_t n_tokens, int64_t n_sequences) {
  const uint64_t head = stored_bytes(kWhat, storage, shape.head_dim);
  const uint64_t layer = times(kWhat, head, product(kWhat, {2, shape.n_kv_heads}));
  KvNeed need;
  need.token = times(kWhat, layer, static_cast<uint64_t>(shape.n_layers()));
  need.unwindowed = times(kWhat, need.token, static_cast<uint64_t>(n_tokens));
  for (const int64_t window : shape.windows) {
    const int64_t kept = window > 0 ? std::min(window, n_tokens) : n_tokens;
    need.sequence = plus(kWhat, need.sequence, times(kWhat, layer, static_cast<uint64_t>(kept)));
  }
  need.batch = times(kWhat, need.sequence, static_cast<uint64_t>(n_sequences));
  return need;
}

}  // namespace kelda::calc
