#include "implementations.h"

namespace kelda::kernels {
namespace {

using test::first_difference;
using test::implementations;
using test::numbers;

TEST(Rope, EqualsTheReferenceBitForBit) {
  std::mt19937 rng(1);
  for (const KernelTable& table : implementations()) {
    for (const bool interleaved : {false, true}) {
      for (int64_t n = 2; n <= 150; n += 2) {
        const auto x = numbers(rng, n + 3, n % 8 == 0), c = numbers(rng, n / 2, false),
                   s = numbers(rng, n / 2, false);
        auto expected = x, got = x;
        scalar_table().rope(expected.data(), c.data(), s.data(), n, interleaved);
        table.rope(got.data(), c.data(), s.data(), n, interleaved);
        ASSERT_EQ(first_difference(expected, got), -1)
            << table.name << " n = " << n << " interleaved " << interleaved;
      }
    }
  }
}

TEST(Rope, PairsNeighboursOrHalves) {
  // A quarter turn: (a, b) → (−b, a).
  const float c[2] = {0, 0}, s[2] = {1, 1};
  float neighbours[4] = {1, 2, 3, 4};
  scalar_table().rope(neighbours, c, s, 4, true);
  EXPECT_EQ(std::vector<float>(neighbours, neighbours + 4), (std::vector<float>{-2, 1, -4, 3}));
  float halves[4] = {1, 2, 3, 4};
  scalar_table().rope(halves, c, s, 4, false);
  EXPECT_EQ(std::vector<float>(halves, halves + 4), (std::vector<float>{-3, -4, 1, 2}));
}

}  // namespace
}  // namespace kelda::kernels
