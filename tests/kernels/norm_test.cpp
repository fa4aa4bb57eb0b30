#include "implementations.h"

namespace kelda::kernels {
namespace {

using test::first_difference;
using test::implementations;
using test::numbers;

TEST(RmsNorm, EqualsTheReferenceBitForBit) {
  std::mt19937 rng(1);
  for (const KernelTable& table : implementations()) {
    for (int64_t n = 1; n <= 200; ++n) {
      for (const bool wild : {false, true}) {
        const auto x = numbers(rng, n, wild && n % 5 == 0), w = numbers(rng, n, false);
        std::vector<float> expected(x.size() + 1, 7.0f), got(x.size() + 1, 7.0f);  // one more: must stay 7
        scalar_table().rms_norm(x.data(), w.data(), 1e-5f, n, expected.data());
        table.rms_norm(x.data(), w.data(), 1e-5f, n, got.data());
        ASSERT_EQ(first_difference(expected, got), -1) << table.name << " n = " << n;
        ASSERT_EQ(got.back(), 7.0f);
      }
    }
  }
}

TEST(RmsNorm, WorksInPlace) {
  std::mt19937 rng(2);
  for (const KernelTable& table : implementations()) {
    auto x = numbers(rng, 77, false);
    const auto w = numbers(rng, 77, false);
    std::vector<float> expected(77);
    scalar_table().rms_norm(x.data(), w.data(), 1e-6f, 77, expected.data());
    table.rms_norm(x.data(), w.data(), 1e-6f, 77, x.data());
    EXPECT_EQ(first_difference(expected, x), -1) << table.name;
  }
}

TEST(RmsNorm, IsCloseToTheFormulaInDouble) {
  std::mt19937 rng(3);
  std::normal_distribution<float> normal;
  std::vector<float> x(576), w(576), y(576);
  for (auto* v : {&x, &w}) {
    for (float& e : *v) e = normal(rng);
  }
  scalar_table().rms_norm(x.data(), w.data(), 1e-5f, 576, y.data());
  double sum = 0;
  for (const float v : x) sum += double{v} * v;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] / std::sqrt(sum / 576 + 1e-5) * w[i];
    EXPECT_NEAR(y[i], expected, 1e-6 * std::abs(expected) + 1e-30);
  }
}

TEST(RmsNorm, SumsInTheSixteenLaneTree) {
  // 2^24 in lane 0, ones in the lanes that meet it last: added to 2^24 one by one they would vanish, added to
  // each other first they do not.
  std::vector<float> x(16, 1.0f), w(16, 1.0f), y(16);
  x[0] = 4096.0f;
  scalar_table().rms_norm(x.data(), w.data(), 0.0f, 16, y.data());
  // Lane 8 is lost in lane 0 (2^24 + 1 rounds to even), the pairs of 4 and 2 and 1 add 2, 4 and 8.
  const float s = 1.0f / std::sqrt((16777216.0f + 2 + 4 + 8) / 16.0f);
  EXPECT_EQ(y[1], s);
}

}  // namespace
}  // namespace kelda::kernels
