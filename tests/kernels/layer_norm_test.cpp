#include "implementations.h"

namespace kelda::kernels {
namespace {

using test::first_difference;
using test::implementations;
using test::numbers;

TEST(LayerNorm, EqualsTheReferenceBitForBit) {
  std::mt19937 rng(4);
  for (const KernelTable& table : implementations()) {
    for (int64_t n = 1; n <= 200; ++n) {
      const auto x = numbers(rng, n, n % 5 == 0), w = numbers(rng, n, false), b = numbers(rng, n, false);
      std::vector<float> expected(x.size() + 1, 7.0f), got(x.size() + 1, 7.0f);  // one more: must stay 7
      scalar_table().layer_norm(x.data(), w.data(), b.data(), 1e-5f, n, expected.data());
      table.layer_norm(x.data(), w.data(), b.data(), 1e-5f, n, got.data());
      ASSERT_EQ(first_difference(expected, got), -1) << table.name << " n = " << n;
      ASSERT_EQ(got.back(), 7.0f);
    }
  }
}

TEST(LayerNorm, IsCloseToTheFormulaInDouble) {
  std::mt19937 rng(5);
  std::normal_distribution<float> normal(3.0f, 2.0f);
  std::vector<float> x(770), w(770), b(770), y(770);
  for (auto* v : {&x, &w, &b}) {
    for (float& e : *v) e = normal(rng);
  }
  scalar_table().layer_norm(x.data(), w.data(), b.data(), 1e-5f, 770, y.data());
  double mean = 0, squares = 0;
  for (const float v : x) mean += v / 770.0;
  for (const float v : x) squares += (v - mean) * (v - mean);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = (x[i] - mean) / std::sqrt(squares / 770 + 1e-5) * w[i] + b[i];
    EXPECT_NEAR(y[i], expected, 4e-6);
  }
}

}  // namespace
}  // namespace kelda::kernels
