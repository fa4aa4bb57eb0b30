#include "calc/memory.h"

#include <gtest/gtest.h>

#include "state/sequence.h"

namespace kelda::calc {
namespace {

KvShape shape(int64_t n_layers, int64_t n_kv_heads, int64_t head_dim, int64_t window = 0) {
  return {KvType::kF16, n_kv_heads, head_dim,
          std::vector<int64_t>(static_cast<std::size_t>(n_layers), window)};
}

TEST(KvBytes, MatchesTheTextbookCases) {
  EXPECT_EQ(kv_bytes(shape(12, 12, 64), 1), 36'864u);
  EXPECT_EQ(kv_bytes(shape(12, 12, 64), 1024), uint64_t{36} << 20);
  EXPECT_EQ(kv_bytes(shape(32, 32, 128), 1), 524'288u);
  EXPECT_EQ(kv_bytes(shape(32, 32, 128), 4096), uint64_t{2} << 30);
  EXPECT_EQ(kv_bytes(shape(32, 32, 128), 4096) * 32, uint64_t{64} << 30);
  EXPECT_EQ(kv_bytes(shape(32, 8, 128), 1), 131'072u) << "8 KV heads instead of 32 take a quarter";
  EXPECT_EQ(kv_bytes(shape(30, 3, 64), 1), 23'040u) << "SmolLM2-135M";
}

TEST(KvAllocatedBytes, CountsWholeBlocks) {
  const KvShape s = shape(2, 1, 16);
  EXPECT_EQ(kv_allocated_bytes(s, 1), kv_bytes(s, kKvBlock));
  EXPECT_EQ(kv_allocated_bytes(s, kKvBlock), kv_bytes(s, kKvBlock));
  EXPECT_EQ(kv_allocated_bytes(s, kKvBlock + 1), kv_bytes(s, 2 * kKvBlock));
  EXPECT_EQ(kv_allocated_bytes(s, 0), 0u);
}

TEST(KvAllocatedBytes, StopsGrowingPastAWindow) {
  const KvShape s = shape(2, 1, 16, 512);
  EXPECT_EQ(kv_allocated_bytes(s, 100'000), kv_bytes(s, 511 + kPrefillChunk + 1 + kKvBlock))
      << "the window, a piece of the prompt that is being read, a block for where they begin";
  EXPECT_EQ(kv_allocated_bytes(s, 64), kv_bytes(s, 64));
}

TEST(KvAllocatedBytes, EqualsWhatTheCacheHandsOut) {
  for (const int64_t window : {0, 100}) {
    const KvShape s = shape(3, 2, 32, window);
    KvCache cache(s, 4096);
    Sequence sequence(cache);
    for (int64_t n = 1; n <= 700; ++n) {
      sequence.reserve(1);
      sequence.advance(1);
      const uint64_t bound = kv_allocated_bytes(s, n);
      if (window == 0) {
        EXPECT_EQ(cache.bytes_used(), bound) << n;
      }
      EXPECT_LE(cache.bytes_used(), bound) << n;
    }
  }
}

TEST(KvAllocatedBytes, BoundWhatTheCacheHandsOutWhileAPromptIsRead) {
  for (const int64_t window : {1, 64, 100, 512}) {
    const KvShape s = shape(1, 1, 16, window);
    uint64_t most = 0;
    for (int64_t begin = 0; begin < kKvBlock; ++begin) {  // a prompt goes on wherever an earlier one ended
      KvCache cache(s, 4096);
      Sequence sequence(cache);
      for (int64_t n = begin; n > 0; --n) {
        sequence.reserve(1);
        sequence.advance(1);
      }
      for (int i = 0; i < 4; ++i) {
        sequence.reserve(kPrefillChunk);
        sequence.advance(kPrefillChunk);
      }
      most = std::max(most, cache.most_bytes_used());
    }
    EXPECT_EQ(most, kv_allocated_bytes(s, 4096)) << window;
  }
}

TEST(LargestWindow, IsTheLongestThatFits) {
  const KvShape s = shape(30, 3, 64);
  const uint64_t block = kv_bytes(s, kKvBlock);
  EXPECT_EQ(largest_window(s, 8192, 1000, 1000 + 3 * block), 3 * kKvBlock);
  EXPECT_EQ(largest_window(s, 8192, 1000, 1000 + 3 * block - 1), 2 * kKvBlock);
  EXPECT_EQ(largest_window(s, 8192, 1000, 999), 0);
  EXPECT_EQ(largest_window(s, 8192, 0, uint64_t{1} << 40), 8192) << "never beyond the trained window";
}

TEST(LargestWindow, OfAnEncoderIsTheTrainedOneOrNone) {
  const KvShape s = shape(6, 0, 32);  // keeps no cache
  EXPECT_EQ(kv_bytes(s, 512), 0u);
  EXPECT_EQ(largest_window(s, 512, 90, 91), 512);
  EXPECT_EQ(largest_window(s, 512, 90, 90), 0);
}

TEST(BytesNeeded, IsTheSumAndWhatLargestWindowTurnsRound) {
  const KvShape s = shape(30, 3, 64);
  EXPECT_EQ(bytes_needed(s, 8192, 1000), 1000 + kWorkspaceBytes + kv_bytes(s, 8192));
  const uint64_t enough = bytes_needed(s, 8192, 1000);
  EXPECT_EQ(largest_window(s, 8192, 1000 + kWorkspaceBytes, enough), 8192);
  EXPECT_EQ(largest_window(s, 8192, 1000 + kWorkspaceBytes, enough - 1), 8192 - kKvBlock);
}

TEST(BytesNeeded, SaturatesWhereTheNumbersAreAbsurd) {
  constexpr uint64_t kMost = ~uint64_t{0};
  const KvShape huge = shape(1000, 1 << 24, 1 << 24);
  EXPECT_EQ(kv_bytes(huge, int64_t{1} << 40), kMost);
  EXPECT_EQ(kv_allocated_bytes(huge, int64_t{1} << 40), kMost);
  EXPECT_EQ(bytes_needed(shape(1, 1, 1), 1, kMost), kMost);
  EXPECT_EQ(largest_window(huge, int64_t{1} << 40, 0, uint64_t{1} << 40), 0);
}

TEST(Memory, TheSystemsFiguresAreRead) {
  EXPECT_GT(available_memory(), uint64_t{1} << 20);
  EXPECT_GT(peak_resident_bytes(), uint64_t{1} << 20);
}

}  // namespace
}  // namespace kelda::calc
