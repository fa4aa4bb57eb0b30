#include "implementations.h"

namespace kelda::kernels {
namespace {

using test::first_difference;
using test::implementations;
using test::numbers;

TEST(Add, EqualsTheReferenceBitForBit) {
  std::mt19937 rng(1);
  for (const KernelTable& table : implementations()) {
    for (int64_t n = 0; n <= 100; ++n) {
      const auto x = numbers(rng, n + 1, true), y = numbers(rng, n + 1, true);
      auto expected = x, got = x;
      scalar_table().add(expected.data(), y.data(), n);
      table.add(got.data(), y.data(), n);
      ASSERT_EQ(first_difference(expected, got), -1) << table.name << " n = " << n;
    }
  }
}

TEST(SiluMul, EqualsTheReferenceBitForBit) {
  std::mt19937 rng(2);
  for (const KernelTable& table : implementations()) {
    for (int64_t n = 0; n <= 100; ++n) {
      const auto gate = numbers(rng, n, true), up = numbers(rng, n, true);
      std::vector<float> expected(gate.size() + 1, 7.0f), got(gate.size() + 1, 7.0f);
      scalar_table().silu_mul(gate.data(), up.data(), n, expected.data());
      table.silu_mul(gate.data(), up.data(), n, got.data());
      ASSERT_EQ(first_difference(expected, got), -1) << table.name << " n = " << n;
    }
  }
}

// silu_mul leads every float through the vector exp2, so this compares exp2 over its whole domain: each sign
// and exponent, and the neighbours of every rounding boundary n + 1/2 of the argument.
TEST(SiluMul, ExponentialEqualsTheReferenceOverAllMagnitudes) {
  std::vector<float> gate;
  for (uint32_t bits = 0; bits < 0xFFFFFF00u; bits += 40961) {
    float g;
    std::memcpy(&g, &bits, sizeof g);
    gate.push_back(g);
  }
  for (int n = -130; n <= 130; ++n) {
    for (const float boundary : {static_cast<float>(n), static_cast<float>(n) + 0.5f}) {
      float g = -boundary / 1.442695f;
      for (int i = 0; i < 8; ++i) g = std::nextafter(g, -1000.0f);
      for (int i = 0; i < 16; ++i, g = std::nextafter(g, 1000.0f)) gate.push_back(g);
    }
  }
  const std::vector<float> up(gate.size(), 1.0f);
  const auto n = static_cast<int64_t>(gate.size());
  std::vector<float> expected(gate.size()), got(gate.size());
  scalar_table().silu_mul(gate.data(), up.data(), n, expected.data());
  for (const KernelTable& table : implementations()) {
    table.silu_mul(gate.data(), up.data(), n, got.data());
    const int64_t i = first_difference(expected, got);
    ASSERT_EQ(i, -1) << table.name << " gate = " << gate[static_cast<std::size_t>(i)];
  }
}

TEST(SiluMul, IsCloseToTheFormulaInDouble) {
  std::vector<float> gate, up;
  for (float g = -80; g <= 80; g += 0.037f) gate.push_back(g);
  up.assign(gate.size(), 1.5f);
  std::vector<float> out(gate.size());
  scalar_table().silu_mul(gate.data(), up.data(), static_cast<int64_t>(gate.size()), out.data());
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double expected = 1.5 * gate[i] / (1 + std::exp(-double{gate[i]}));
    EXPECT_NEAR(out[i], expected, 1e-5 * std::abs(expected)) << gate[i];
  }
}

}  // namespace
}  // namespace kelda::kernels
