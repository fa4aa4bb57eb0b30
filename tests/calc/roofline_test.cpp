#include "calc/roofline.h"

#include <gtest/gtest.h>

#include <vector>

namespace kelda::calc {
namespace {

constexpr double kBandwidth = 1000e9;

std::vector<Part> seven_b(int64_t depth) {
  return {{.name = "weights", .shared_bytes = 14e9},
          {.name = "KV cache", .sequence_bytes = 524'288.0 * static_cast<double>(depth)}};
}

TEST(Roofline, FourteenGigabytesAtATerabytePerSecond) {
  const auto parts = seven_b(0);
  EXPECT_DOUBLE_EQ(step_seconds(parts, kBandwidth, 1), 14e-3);
  EXPECT_NEAR(1 / step_seconds(parts, kBandwidth, 1), 71.4, 0.05);
}

TEST(Roofline, ABatchOf32IsNot32TimesAsFast) {
  const auto parts = seven_b(4096);
  const double one = step_seconds(parts, kBandwidth, 1), all = step_seconds(parts, kBandwidth, 32);
  EXPECT_NEAR(one * 1e3, 16.15, 0.005);
  EXPECT_NEAR(all * 1e3, 82.7, 0.05);
  EXPECT_NEAR(32 * one / all, 6.2, 0.05);
  EXPECT_NEAR(bends(parts, kBandwidth).by_caches, 6.52, 0.005);
  EXPECT_EQ(bends(parts, kBandwidth).by_arithmetic, 0);
}

TEST(Roofline, APartTakesAsLongAsTheSlowerOfReadingAndMultiplying) {
  const Part part = {
      .name = "", .shared_bytes = 100, .sequence_bytes = 10, .sequence_macs = 30, .macs_per_s = 10};
  EXPECT_DOUBLE_EQ(part_seconds(part, 10, 1), 11);
  EXPECT_DOUBLE_EQ(part_seconds(part, 10, 10), 30) << "300 multiply-adds, 200 bytes";
  Part fixed = part;
  fixed.fixed_seconds = 2;
  EXPECT_DOUBLE_EQ(part_seconds(fixed, 10, 1), 13);
}

TEST(Roofline, BendsWhereMultiplyingTheWeightsOutlastsReadingThem) {
  const std::vector<Part> parts = {{.name = "", .shared_bytes = 100, .sequence_macs = 5, .macs_per_s = 2}};
  EXPECT_DOUBLE_EQ(bends(parts, 10).by_arithmetic, 4);
  EXPECT_EQ(bends(parts, 10).by_caches, 0);
}

}  // namespace
}  // namespace kelda::calc
