#include "calc/kv.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::calc {
namespace {

constexpr Storage kF16 = {1, 2};

KvShape shape(int64_t n_layers, int64_t n_kv_heads, int64_t head_dim) {
  return {KvType::kF16, n_kv_heads, head_dim, std::vector<int64_t>(static_cast<std::size_t>(n_layers), 0)};
}

const KvFormat& format(std::string_view name) {
  for (const KvFormat& f : kv_formats()) {
    if (f.name == name) return f;
  }
  throw std::logic_error("no such format");
}

TEST(KvNeed, IsThePromisedBytes) {
  EXPECT_EQ(kv_need(shape(12, 12, 64), kF16, 1024, 1).token, 36'864u);
  EXPECT_EQ(kv_need(shape(12, 12, 64), kF16, 1024, 1).token / 2, 18'432u) << "numbers";
  EXPECT_EQ(kv_need(shape(12, 12, 64), kF16, 1024, 1).sequence, uint64_t{36} << 20);
  const KvNeed seven_b = kv_need(shape(32, 32, 128), kF16, 4096, 32);
  EXPECT_EQ(seven_b.token, 524'288u);
  EXPECT_EQ(seven_b.sequence, uint64_t{2} << 30);
  EXPECT_EQ(seven_b.batch, uint64_t{64} << 30);
  EXPECT_EQ(kv_need(shape(32, 8, 128), kF16, 1, 1).token, 131'072u) << "8 KV heads of 32: a quarter";
  EXPECT_EQ(kv_need(shape(30, 3, 64), kF16, 1, 1).token, 23'040u) << "SmolLM2 135M";
  EXPECT_EQ(kv_need(shape(24, 2, 64), kF16, 1, 1).token, 12'288u) << "Qwen2.5 0.5B";
  EXPECT_EQ(kv_need(shape(28, 2, 128), kF16, 1, 1).token, 28'672u) << "Qwen2.5 1.5B";
  EXPECT_EQ(kv_need(shape(18, 1, 256), kF16, 1, 1).token, 18'432u) << "Gemma 3 270M";
}

TEST(KvNeed, AWindowedLayerKeepsNoMoreThanItsWindow) {
  KvShape kv = shape(6, 1, 256);
  for (std::size_t i = 0; i < 5; ++i) kv.windows[i] = 512;
  const uint64_t layer = 2 * 256 * 2;
  EXPECT_EQ(kv_need(kv, kF16, 512, 1).sequence, 6 * layer * 512);
  const KvNeed need = kv_need(kv, kF16, 4096, 3);
  EXPECT_EQ(need.sequence, layer * (4096 + 5 * 512));
  EXPECT_EQ(need.unwindowed, 6 * layer * 4096);
  EXPECT_EQ(need.batch, 3 * need.sequence);
}

TEST(KvNeed, FormatsOfFewerBitsCountTheirScales) {
  EXPECT_EQ(kv_need(shape(1, 1, 64), format("f32").storage, 1, 1).token, 512u);
  EXPECT_EQ(kv_need(shape(1, 1, 64), format("f16").storage, 1, 1).token, 256u);
  EXPECT_EQ(kv_need(shape(1, 1, 64), format("q8").storage, 1, 1).token, 2 * 2 * 34u);
  EXPECT_EQ(kv_need(shape(1, 1, 64), format("q4").storage, 1, 1).token, 2 * 2 * 18u);
  EXPECT_EQ(kv_need(shape(1, 1, 40), format("q8").storage, 1, 1).token, 2 * 2 * 34u) << "whole blocks";
}

TEST(KvNeed, FormatsThatTheBuildHasAreItsOwn) {
  for (const KvFormat& f : kv_formats()) {
    if (!f.type) continue;
    EXPECT_EQ(f.name, name(*f.type));
    EXPECT_EQ(f.storage.block_bytes, element_bytes(*f.type) * f.storage.block_values);
  }
}

TEST(KvNeed, RefusesWhat64BitsCannotCount) {
  try {
    kv_need(shape(1000, 1 << 20, 1 << 20), kF16, int64_t{1} << 40, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_STREQ(e.what(), "the bytes of the KV cache: more than 64 bits can count");
  }
}

}  // namespace
}  // namespace kelda::calc
