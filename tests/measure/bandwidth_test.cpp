#include "measure/bandwidth.h"

#include <gtest/gtest.h>

namespace kelda::measure {
namespace {

TEST(ReadBandwidth, ReadsAllItsMemoryInTurns) {
  ThreadPool pool(2);
  ReadBandwidth memory(pool, 128 << 20);
  for (int i = 0; i < 3; ++i) {  // the third begins again
    const double bytes_per_s = memory.pass();
    EXPECT_GT(bytes_per_s, 1e6);
    EXPECT_LT(bytes_per_s, 1e13);
  }
}

}  // namespace
}  // namespace kelda::measure
