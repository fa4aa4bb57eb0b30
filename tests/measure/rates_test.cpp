#include "measure/rates.h"

#include <gtest/gtest.h>

#include "engine/runner.h"

namespace kelda::measure {
namespace {

TEST(MatmulRate, OfEveryFormatIsARate) {
  ThreadPool pool(1);
  for (const quant::FormatSpec* format : quant::formats()) {
    MatmulRate rate({pool, choose_kernels()}, *format, 1);
    const double macs = rate.pass();
    EXPECT_GT(macs, 1e5) << format->name;
    EXPECT_LT(macs, 1e14) << format->name;
  }
}

TEST(AttentionRate, OfEveryCacheIsARate) {
  ThreadPool pool(2);
  for (const KvType type : {KvType::kF16, KvType::kF32}) {
    AttentionRate rate({pool, choose_kernels()}, type, 9, 3, 64);
    const double macs = rate.pass();
    EXPECT_GT(macs, 1e5);
    EXPECT_LT(macs, 1e14);
  }
}

TEST(RegionSeconds, IsWhatHandingWorkOutTakes) {
  ThreadPool pool(2);
  EXPECT_GT(region_seconds(pool), 0);
  EXPECT_LT(region_seconds(pool), 10);
}

}  // namespace
}  // namespace kelda::measure
