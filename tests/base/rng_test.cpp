#include "base/rng.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kelda {
namespace {

using Words = std::array<uint32_t, 4>;

// Known answers of the paper's reference implementation.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xFFFFFFFF;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, IsAFunctionOfItsKeyAlone) {
  const DrawKey key{42, 1, 7};
  EXPECT_EQ(uniform(key, 3), uniform(key, 3));
  std::set<double> seen;
  seen.insert(uniform(key, 3));
  seen.insert(uniform(key, 4));
  seen.insert(uniform({43, 1, 7}, 3));
  seen.insert(uniform({42 + (uint64_t{1} << 32), 1, 7}, 3));  // the upper half of the seed counts
  seen.insert(uniform({42, 2, 7}, 3));
  seen.insert(uniform({42, 1, 8}, 3));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Uniform, LiesInZeroToOne) {
  for (uint32_t i = 0; i < 100000; ++i) {
    const double u = uniform({i, 0, 0}, 0);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(u * 0x1p53, static_cast<double>(static_cast<uint64_t>(u * 0x1p53)));
  }
}

// Chi-square over 100 cells, along each of the key's parts; 99 degrees of freedom, 1 in 10^6 lies above 180.
TEST(Uniform, IsEvenAlongEveryPartOfTheKey) {
  constexpr int kCells = 100, kDraws = 200000;
  for (int part = 0; part < 4; ++part) {
    std::vector<int> count(kCells);
    for (uint32_t i = 0; i < kDraws; ++i) {
      DrawKey key{5, 6, 7};
      uint32_t draw = 8;
      if (part == 0) key.seed = i;
      if (part == 1) key.choice = i;
      if (part == 2) key.position = i;
      if (part == 3) draw = i;
      ++count[static_cast<std::size_t>(uniform(key, draw) * kCells)];
    }
    double chi = 0;
    constexpr double kExpected = static_cast<double>(kDraws) / kCells;
    for (const int n : count) chi += (n - kExpected) * (n - kExpected) / kExpected;
    EXPECT_LT(chi, 180) << "part " << part;
    EXPECT_GT(chi, 40) << "part " << part << ": too even to be random";
  }
}

}  // namespace
}  // namespace kelda
