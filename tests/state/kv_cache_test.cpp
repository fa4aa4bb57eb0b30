#include "state/kv_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/error.h"

namespace kelda {
namespace {

KvShape full(int64_t n_layers, int64_t n_kv_heads, int64_t head_dim, KvType type = KvType::kF16) {
  return {type, n_kv_heads, head_dim, std::vector<int64_t>(static_cast<std::size_t>(n_layers), 0)};
}

TEST(KvCache, ItsLayersSeeWhatTheShapeSays) {
  EXPECT_TRUE(KvCache(full(1, 1, 16), 64).layer(0).causal);
  EXPECT_FALSE(KvCache({KvType::kF32, 1, 16, {0}, false}, 64).layer(0).causal);
}

TEST(KvShape, BytesPerTokenAreTheTextbookOnes) {
  EXPECT_EQ(full(12, 12, 64).bytes_per_token(), 36864);  // 12 layers of width 768
  EXPECT_EQ(full(12, 12, 64).bytes_per_token() / 2, 18432);
  EXPECT_EQ(full(12, 12, 64).bytes_per_token() * 1024, 36 << 20);
  EXPECT_EQ(full(32, 32, 128).bytes_per_token(), 524288);  // 32 layers of width 4096
  EXPECT_EQ(full(32, 32, 128).bytes_per_token() * 4096, int64_t{2} << 30);
  EXPECT_EQ(full(32, 32, 128).bytes_per_token() * 4096 * 32, int64_t{64} << 30);
  EXPECT_EQ(full(32, 8, 128).bytes_per_token(), 131072);  // grouped: 8 KV heads for 32 query heads
  EXPECT_EQ(full(32, 8, 128).bytes_per_token() * 4, full(32, 32, 128).bytes_per_token());
  EXPECT_EQ(full(32, 1, 128).bytes_per_token() * 32, full(32, 32, 128).bytes_per_token());  // multi-query
  EXPECT_EQ(full(30, 3, 64).bytes_per_token(), 23040);                                      // SmolLM2-135M
  EXPECT_EQ(full(30, 3, 64, KvType::kF32).bytes_per_token(), 46080);
}

TEST(KvCache, RoundsUpToBlocksAndCountsWhatIsOwned) {
  KvCache cache(full(30, 3, 64), 100);
  EXPECT_EQ(cache.n_groups(), 1);
  EXPECT_EQ(cache.pool(0).n_blocks(), 2);
  EXPECT_EQ(cache.bytes_reserved(), uint64_t{2} * 64 * 23040);
  EXPECT_EQ(cache.bytes_used(), 0u);
  const BlockId b = cache.pool(0).take();
  EXPECT_EQ(cache.bytes_used(), uint64_t{64} * 23040);
  cache.pool(0).release(b);
  EXPECT_EQ(cache.bytes_used(), 0u);
}

TEST(KvCache, LayersOfOneWindowShareAGroup) {
  KvCache cache({KvType::kF16, 2, 16, {512, 0, 512, 512, 0}}, 1000);
  ASSERT_EQ(cache.n_groups(), 2);
  EXPECT_EQ(cache.window(0), 512);
  EXPECT_EQ(cache.window(1), 0);
  const int groups[] = {0, 1, 0, 0, 1};
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(cache.layer(i).group, groups[i]);
    EXPECT_EQ(cache.layer(i).window, groups[i] == 0 ? 512 : 0);
  }
  EXPECT_EQ(cache.layer(0).block_stride, 3 * 2 * 2 * cache.layer(0).head_bytes);
  EXPECT_EQ(cache.layer(1).block_stride, 2 * 2 * 2 * cache.layer(1).head_bytes);
}

// Writing every head of every layer of every block with a mark of its own, nothing overlaps.
TEST(KvCache, PlacesDoNotOverlap) {
  for (const KvType type : {KvType::kF16, KvType::kF32}) {
    KvCache cache({type, 2, 16, {0, 64, 0}}, 130);
    std::set<std::byte*> starts;
    const auto visit = [&](const auto& body) {
      uint32_t mark = 1;
      for (int64_t i = 0; i < 3; ++i) {
        const KvLayer layer = cache.layer(i);
        for (BlockId b = 0; b < 3; ++b) {
          for (int64_t h = 0; h < 2; ++h) {
            body(layer.k(b, h), layer.head_bytes, mark++);
            body(layer.v(b, h), layer.head_bytes, mark++);
          }
        }
      }
    };
    visit([&](std::byte* p, int64_t bytes, uint32_t mark) {
      EXPECT_EQ(bytes, 64 * 16 * element_bytes(type));
      EXPECT_TRUE(starts.insert(p).second);
      for (int64_t i = 0; i < bytes; i += 4) std::memcpy(p + i, &mark, 4);
    });
    visit([&](const std::byte* p, int64_t bytes, uint32_t mark) {
      for (int64_t i = 0; i < bytes; i += 4) ASSERT_EQ(std::memcmp(p + i, &mark, 4), 0);
    });
    EXPECT_EQ(starts.size() * 64 * 16 * static_cast<std::size_t>(element_bytes(type)),
              cache.bytes_reserved());
  }
}

TEST(KvCache, CopiesOneBlockOfOneGroup) {
  KvCache cache({KvType::kF16, 1, 16, {0, 0}}, 64 * 3);
  const auto bytes = static_cast<std::size_t>(cache.layer(0).head_bytes);
  for (int64_t i = 0; i < 2; ++i) {
    for (BlockId b = 0; b < 3; ++b) {
      std::memset(cache.layer(i).k(b, 0), static_cast<int>(10 * i + b + 1), bytes);
      std::memset(cache.layer(i).v(b, 0), static_cast<int>(10 * i + b + 101), bytes);
    }
  }
  cache.copy_block(0, 0, 2);
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::memcmp(cache.layer(i).k(2, 0), cache.layer(i).k(0, 0), 2 * bytes), 0);
    EXPECT_EQ(*cache.layer(i).k(1, 0), static_cast<std::byte>(10 * i + 2));
  }
}

TEST(KvCache, MoreThanTheMachineCanAddressIsOutOfMemory) {
  const auto refused = [](const KvShape& shape, int64_t max_tokens) {
    try {
      KvCache cache(shape, max_tokens);
    } catch (const Error& e) {
      return e.code() == ErrorCode::kOutOfMemory;
    }
    return false;
  };
  EXPECT_TRUE(refused(full(100, 100, 1024), int64_t{1} << 26));  // 2.7 PB
  EXPECT_TRUE(refused(full(2, int64_t{1} << 40, 1 << 20), 64));  // 2^63 and more: would wrap
  EXPECT_TRUE(refused(full(1, 1, 16), INT64_MAX));
  try {
    KvCache cache(full(100, 100, 1024), int64_t{1} << 26);
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("a KV cache of 67108864 tokens"), 0u) << e.what();
  }
  EXPECT_TRUE(refused(full(4, int64_t{1} << 60, int64_t{1} << 60), 1));
}

}  // namespace
}  // namespace kelda
