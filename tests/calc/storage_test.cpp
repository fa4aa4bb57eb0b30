#include "calc/storage.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::calc {
namespace {

TEST(Storage, IsInLowestTerms) {
  EXPECT_EQ(storage_of(32).block_values, 1);
  EXPECT_EQ(storage_of(32).block_bytes, 2);
  EXPECT_EQ(storage_of(8).block_values, 2) << "half a byte";
  EXPECT_EQ(storage_of(8).block_bytes, 1);
  EXPECT_EQ(storage_of(9).bits(), 4.5);
}

TEST(Storage, StoresWholeBlocks) {
  EXPECT_EQ(stored_bytes("", {32, 18}, 64), 36u);
  EXPECT_EQ(stored_bytes("", {32, 18}, 65), 54u);
  EXPECT_EQ(stored_bytes("", {1, 2}, 0), 0u);
  EXPECT_THROW(stored_bytes("x", {1, 4}, INT64_MAX), Error);
}

}  // namespace
}  // namespace kelda::calc
