#include "hub/footprint.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/checked.h"
#include "base/error.h"

namespace kelda::hub {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kF16Bytes = 2;

uint64_t mul(uint64_t a, uint64_t b) { return checked_mul(a, b).value_or(kMost); }
uint64_t add(uint64_t a, uint64_t b) { return checked_add(a, b).value_or(kMost); }

// Keys and values (the 2), each n_kv_heads × head_dim numbers in every layer.
uint64_t kv_bytes(int64_t n_layers, int64_t n_kv_heads, int64_t head_dim) {
  return mul(mul(static_cast<uint64_t>(n_layers), static_cast<uint64_t>(n_kv_heads)),
             2 * kF16Bytes * static_cast<uint64_t>(head_dim));
}

std::optional<uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

}  // namespace

Footprint footprint(const CatalogEntry& entry) {
  const MemoryFigures& m = entry.memory;
  return {.weights_bytes = entry.files.front().bytes,
          .kv_bytes_per_token = kv_bytes(m.n_layers, m.n_kv_heads, m.head_dim),
          .n_ctx_train = m.n_ctx_train};
}

std::optional<Footprint> footprint(const ModelFile& file) {
  try {
    const Metadata& m = file.metadata();
    const std::string arch = m.text("general.architecture");
    const auto number = [&](std::string_view key) {
      return m.integer(fmt::format("{}.{}", arch, key), 1, 1 << 24);
    };
    Footprint result;
    for (const TensorInfo& tensor : file.tensors())
      result.weights_bytes = add(result.weights_bytes, tensor.bytes);
    const int64_t n_heads = number("attention.head_count");
    const int64_t n_kv_heads = m.integer(arch + ".attention.head_count_kv", 1, 1 << 24, n_heads);
    const int64_t head_dim =
        m.integer(arch + ".attention.key_length", 1, 1 << 24, number("embedding_length") / n_heads);
    result.kv_bytes_per_token = kv_bytes(number("block_count"), n_kv_heads, head_dim);
    result.n_ctx_train = m.integer(arch + ".context_length", 1, int64_t{1} << 40);
    return result;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kBadInput) throw;
    return std::nullopt;
  }
}

uint64_t bytes_needed(const Footprint& f, int64_t n_tokens) {
  return add(add(f.weights_bytes, kWorkspaceBytes),
             mul(f.kv_bytes_per_token, static_cast<uint64_t>(n_tokens)));
}

int64_t largest_window(const Footprint& f, uint64_t available_bytes) {
  const uint64_t fixed = bytes_needed(f, 0);
  if (fixed > available_bytes) return 0;
  if (f.kv_bytes_per_token == 0) return f.n_ctx_train;
  const uint64_t room = (available_bytes - fixed) / f.kv_bytes_per_token;
  return static_cast<int64_t>(std::min(room, static_cast<uint64_t>(f.n_ctx_train)));
}

std::optional<uint64_t> available_memory_bytes() {
  std::optional<uint64_t> available;
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kib = 0; meminfo >> name >> kib; std::getline(meminfo, unit)) {
    if (name == "MemAvailable:") available = mul(kib, 1024);
  }
  const auto limit = number_in("/sys/fs/cgroup/memory.max");  // "max" is not a number: no limit
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) available = std::min(available.value_or(kMost), *limit - std::min(*limit, *used));
  return available;
}

}  // namespace kelda::hub
