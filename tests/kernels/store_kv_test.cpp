#include "implementations.h"

namespace kelda::kernels {
namespace {

struct Block {
  std::vector<std::byte> k, v;
  Block(int head_dim, KvType type)
      : k(static_cast<std::size_t>(kKvBlock * head_dim * element_bytes(type)), std::byte{0xA5}), v(k) {}
};

TEST(StoreKv, PutsKeysSixteenSideBySideAndValuesInRows) {
  constexpr int kDim = 16;
  Block block(kDim, KvType::kF32);
  std::vector<float> k(kDim), v(kDim);
  for (int d = 0; d < kDim; ++d) {
    k[static_cast<std::size_t>(d)] = static_cast<float>(d);
    v[static_cast<std::size_t>(d)] = static_cast<float>(100 + d);
  }
  const int slot = 37;
  scalar_table().store_kv(KvType::kF32, k.data(), v.data(), kDim, slot, block.k.data(), block.v.data());
  for (int d = 0; d < kDim; ++d) {
    float at_k, at_v;
    std::memcpy(
        &at_k, block.k.data() + sizeof(float) * static_cast<std::size_t>((37 / 16 * kDim + d) * 16 + 37 % 16),
        sizeof at_k);
    std::memcpy(&at_v, block.v.data() + sizeof(float) * static_cast<std::size_t>(37 * kDim + d), sizeof at_v);
    EXPECT_EQ(at_k, static_cast<float>(d));
    EXPECT_EQ(at_v, static_cast<float>(100 + d));
  }
}

TEST(StoreKv, EqualsTheReferenceAndTouchesNothingElse) {
  std::mt19937 rng(1);
  for (const KernelTable& table : test::implementations()) {
    for (const KvType type : {KvType::kF32, KvType::kF16}) {
      for (const int head_dim : {16, 64, 80, 128}) {
        Block expected(head_dim, type), got(head_dim, type);
        for (const int slot : {0, 1, 15, 16, 40, 63}) {
          const auto k = test::numbers(rng, head_dim, true), v = test::numbers(rng, head_dim, true);
          scalar_table().store_kv(type, k.data(), v.data(), head_dim, slot, expected.k.data(),
                                  expected.v.data());
          table.store_kv(type, k.data(), v.data(), head_dim, slot, got.k.data(), got.v.data());
        }
        EXPECT_EQ(expected.k, got.k) << table.name << " " << name(type) << " " << head_dim;
        EXPECT_EQ(expected.v, got.v) << table.name << " " << name(type) << " " << head_dim;
      }
    }
  }
}

}  // namespace
}  // namespace kelda::kernels
