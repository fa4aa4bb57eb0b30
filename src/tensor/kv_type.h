// How keys and values are kept. One cache block holds kKvBlock tokens of every layer of its group.
#pragma once

#include <cstdint>
#include <string_view>

namespace kelda {

enum class KvType { kF32, kF16 };

constexpr int64_t element_bytes(KvType type) { return type == KvType::kF32 ? 4 : 2; }
constexpr std::string_view name(KvType type) { return type == KvType::kF32 ? "f32" : "f16"; }

inline constexpr int kKvBlock = 64;  // tokens per block
inline constexpr int kKvSplit =
    512;  // attention closes its partial sums at absolute multiples of this many keys

}  // namespace kelda
