#include "calc/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/checked.h"
#include "state/sequence.h"

namespace kelda::calc {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t mul(uint64_t a, uint64_t b) { return checked_mul(a, b).value_or(kMost); }
uint64_t mul(uint64_t a, int64_t b) { return mul(a, static_cast<uint64_t>(b)); }
uint64_t add(uint64_t a, uint64_t b) { return checked_add(a, b).value_or(kMost); }

uint64_t layer_token_bytes(const KvShape& s) {
  return mul(mul(static_cast<uint64_t>(2 * element_bytes(s.type)), s.n_kv_heads), s.head_dim);
}

// The number after "KEY:" in a file of "Key:   123 kB" lines, in bytes; 0 if it is not there.
uint64_t kilobytes(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) == 0) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

uint64_t number_in(const char* path) {
  std::ifstream in(path);
  uint64_t n = 0;
  return in >> n ? n : 0;
}

// Blocks that n neighbouring positions lie in at most, wherever they begin.
int64_t most_blocks(int64_t n) { return ceil_div(n - 1, kKvBlock) + 1; }

}  // namespace

uint64_t kv_bytes(const KvShape& shape, int64_t n_tokens) {
  return mul(mul(layer_token_bytes(shape), shape.n_layers()), n_tokens);
}

uint64_t kv_allocated_bytes(const KvShape& shape, int64_t n_tokens) {
  uint64_t bytes = 0;
  for (const int64_t window : shape.windows) {
    int64_t blocks = ceil_div(n_tokens, kKvBlock);
    if (window > 0) blocks = std::min(blocks, most_blocks(window - 1 + kPrefillChunk));
    bytes = add(bytes, mul(mul(layer_token_bytes(shape), int64_t{kKvBlock}), blocks));
  }
  return bytes;
}

uint64_t available_memory() {
  const uint64_t system = kilobytes("/proc/meminfo", "MemAvailable:");
  const uint64_t limit = number_in("/sys/fs/cgroup/memory.max");  // "max" reads as 0
  if (limit == 0) return system;
  const uint64_t used = number_in("/sys/fs/cgroup/memory.current");
  const uint64_t left = limit > used ? limit - used : 0;
  return system == 0 ? left : std::min(system, left);
}

int64_t largest_window(const KvShape& shape, int64_t n_ctx_train, uint64_t other, uint64_t available) {
  if (available <= other) return 0;
  int64_t fits = 0, beyond = n_ctx_train + 1;  // binary search: kv_allocated_bytes grows with the length
  while (beyond - fits > 1) {
    const int64_t middle = fits + (beyond - fits) / 2;
    (kv_allocated_bytes(shape, middle) <= available - other ? fits : beyond) = middle;
  }
  return fits;
}

uint64_t bytes_needed(const KvShape& shape, int64_t n_tokens, uint64_t learned) {
  return add(add(learned, kWorkspaceBytes), kv_allocated_bytes(shape, n_tokens));
}

uint64_t peak_resident_bytes() { return kilobytes("/proc/self/status", "VmHWM:"); }

}  // namespace kelda::calc
