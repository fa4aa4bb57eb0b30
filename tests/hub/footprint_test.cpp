#include "hub/footprint.h"

#include <gtest/gtest.h>

#include <limits>

#include "test_model.h"

namespace kelda::hub {
namespace {

CatalogEntry entry(int64_t n_layers, int64_t n_kv_heads, int64_t head_dim, int64_t n_ctx_train,
                   uint64_t bytes) {
  CatalogEntry e;
  e.files.push_back({.name = "x", .bytes = bytes, .sha256 = {}});
  e.memory = {
      .n_layers = n_layers, .n_kv_heads = n_kv_heads, .head_dim = head_dim, .n_ctx_train = n_ctx_train};
  return e;
}

TEST(Footprint, CountsTheCacheOfKnownShapes) {
  EXPECT_EQ(footprint(entry(12, 12, 64, 1024, 1)).kv_bytes_per_token, 36'864u);  // width 768, f16
  EXPECT_EQ(footprint(entry(32, 32, 128, 4096, 1)).kv_bytes_per_token, 524'288u);
  EXPECT_EQ(footprint(entry(32, 8, 128, 4096, 1)).kv_bytes_per_token,
            131'072u);  // grouped queries: a quarter
}

TEST(Footprint, TheLargestWindowIsTheLastThatFits) {
  const Footprint f{.weights_bytes = 1'000'000, .kv_bytes_per_token = 1000, .n_ctx_train = 500};
  EXPECT_EQ(largest_window(f, bytes_needed(f, 500)), 500);
  EXPECT_EQ(largest_window(f, bytes_needed(f, 500) - 1), 499);
  EXPECT_EQ(largest_window(f, bytes_needed(f, 0)), 0);
  EXPECT_EQ(largest_window(f, 0), 0);
  EXPECT_EQ(largest_window(f, std::numeric_limits<uint64_t>::max()), 500);
}

TEST(Footprint, AnEncoderKeepsNoCache) {
  const Footprint f = footprint(entry(6, 0, 32, 512, 90));
  EXPECT_EQ(f.kv_bytes_per_token, 0u);
  EXPECT_EQ(largest_window(f, bytes_needed(f, 1)), 512);
  EXPECT_EQ(largest_window(f, 1), 0);
}

TEST(Footprint, SaturatesWhereTheNumbersAreAbsurd) {
  const Footprint f{
      .weights_bytes = std::numeric_limits<uint64_t>::max(), .kv_bytes_per_token = 1, .n_ctx_train = 1};
  EXPECT_EQ(bytes_needed(f, 1), std::numeric_limits<uint64_t>::max());
}

TEST(Footprint, OfAFileAgreesWithTheCatalogue) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  const auto from_file = footprint(*open_gguf(*path));
  ASSERT_TRUE(from_file);
  const Footprint known = footprint(*catalog().find("smollm2"));
  EXPECT_EQ(from_file->kv_bytes_per_token, known.kv_bytes_per_token);
  EXPECT_EQ(from_file->n_ctx_train, known.n_ctx_train);
  EXPECT_LT(from_file->weights_bytes, known.weights_bytes);  // the file also has a head
  EXPECT_GT(from_file->weights_bytes, known.weights_bytes * 9 / 10);
}

TEST(AvailableMemory, IsMoreThanNothing) {
  const auto bytes = available_memory_bytes();
  ASSERT_TRUE(bytes);
  EXPECT_GT(*bytes, 0u);
}

}  // namespace
}  // namespace kelda::hub
