#include "measure/bandwidth.h"

#include <atomic>
#include <chrono>

#include "base/check.h"
#include "base/checked.h"

namespace kelda::measure {
namespace {

constexpr int64_t kPieceBytes = 1 << 20;
constexpr int64_t kPassBytes = 64 << 20;

// Sixteen sums side by side, so that the loop waits for memory alone.
uint64_t sum(const uint64_t* x, int64_t n) {
  uint64_t sums[16] = {};
  for (int64_t i = 0; i < n; i += 16) {
    for (int64_t lane = 0; lane < 16; ++lane) sums[lane] += x[i + lane];
  }
  uint64_t total = 0;
  for (const uint64_t s : sums) total += s;
  return total;
}

}  // namespace

ReadBandwidth::ReadBandwidth(ThreadPool& pool, uint64_t bytes)
    : pool_(pool), memory_(static_cast<uint64_t>(round_up(static_cast<int64_t>(bytes), kPassBytes))) {
  const auto n_pieces = static_cast<int64_t>(memory_.size()) / kPieceBytes;
  pool_.run(n_pieces, [&](int64_t piece, int) {
    auto* x = reinterpret_cast<uint64_t*>(memory_.data() + piece * kPieceBytes);
    for (int64_t i = 0; i < kPieceBytes / 8; ++i) x[i] = 1;
  });
}

double ReadBandwidth::pass() {
  std::atomic<uint64_t> total{0};
  const std::byte* first = memory_.data() + next_;
  const auto start = std::chrono::steady_clock::now();
  pool_.run(kPassBytes / kPieceBytes, [&](int64_t piece, int) {
    const auto* x = reinterpret_cast<const uint64_t*>(first + piece * kPieceBytes);
    total.fetch_add(sum(x, kPieceBytes / 8), std::memory_order_relaxed);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  KELDA_CHECK(total == kPassBytes / 8);  // every number was read, and the sum is not left out
  next_ = (next_ + kPassBytes) % memory_.size();
  return static_cast<double>(kPassBytes) / seconds;
}

}  // namespace kelda::measure
