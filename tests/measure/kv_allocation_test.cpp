#include "measure/kv_allocation.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "calc/kv.h"
#include "calc/memory.h"

namespace kelda::measure {
namespace {

TEST(AllocatedKvBytes, AreTheComputedOnes) {
  const KvShape kv = {KvType::kF16, 3, 64, std::vector<int64_t>(30, 0)};
  for (const int64_t n : {1, 64, 65, 4096}) {
    EXPECT_EQ(allocated_kv_bytes(kv, n, 1), calc::kv_allocated_bytes(kv, n));
    EXPECT_EQ(allocated_kv_bytes(kv, n, 8), 8 * calc::kv_allocated_bytes(kv, n));
  }
  EXPECT_EQ(allocated_kv_bytes(kv, 4096, 32), calc::kv_need(kv, {1, 2}, 4096, 32).batch);
}

TEST(AllocatedKvBytes, OfWindowsStayWithinTheBoundAndHoldWhatIsNeeded) {
  KvShape kv = {KvType::kF16, 1, 256, std::vector<int64_t>(18, 512)};
  for (std::size_t i = 5; i < 18; i += 6) kv.windows[i] = 0;
  for (const int64_t n : {100, 512, 1000, 4096, 5000}) {
    const uint64_t measured = allocated_kv_bytes(kv, n, 1);
    EXPECT_LE(measured, calc::kv_allocated_bytes(kv, n)) << n;
    // What the next token needs: the last 511 of the window and itself.
    EXPECT_GE(measured + calc::kv_need(kv, {1, 2}, 1, 1).token, calc::kv_need(kv, {1, 2}, n, 1).sequence)
        << n;
  }
}

TEST(AllocatedKvBytes, RefusesTokensBeyondCount) {
  EXPECT_THROW(allocated_kv_bytes({KvType::kF16, 1, 16, {0}}, int64_t{1} << 29, 1 << 20), Error);
}

}  // namespace
}  // namespace kelda::measure
