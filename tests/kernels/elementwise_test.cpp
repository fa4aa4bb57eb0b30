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

// Every sign and exponent with some mantissas, and the neighbours of whole and half numbers.
std::vector<float> every_magnitude() {
  std::vector<float> x;
  for (uint32_t bits = 0; bits < 0xFFFFFF00u; bits += 40961) {
    float v;
    std::memcpy(&v, &bits, sizeof v);
    x.push_back(v);
  }
  for (int n = -260; n <= 260; ++n) {
    float v = static_cast<float>(n) / 2;
    for (int i = 0; i < 4; ++i) v = std::nextafter(v, -1000.0f);
    for (int i = 0; i < 8; ++i, v = std::nextafter(v, 1000.0f)) x.push_back(v);
  }
  return x;
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

// What changes x alone, over every sign and exponent and over odd lengths.
TEST(InPlace, ScaleSoftcapAndGeluEqualTheReferenceBitForBit) {
  std::mt19937 rng(4);
  for (const KernelTable& table : implementations()) {
    const auto check = [&](const std::vector<float>& x, const auto& run) {
      auto expected = x, got = x;
      run(scalar_table(), expected);
      run(table, got);
      const int64_t i = first_difference(expected, got);
      ASSERT_EQ(i, -1) << table.name << " n = " << x.size() << " x = " << x[static_cast<std::size_t>(i)];
    };
    std::vector<std::vector<float>> rows = {every_magnitude()};
    for (int64_t n = 1; n <= 70; ++n) rows.push_back(numbers(rng, n, true));
    for (const auto& row : rows) {
      const auto n = static_cast<int64_t>(row.size());
      check(row, [&](const KernelTable& t, std::vector<float>& x) { t.scale(x.data(), 25.298221f, n); });
      check(row, [&](const KernelTable& t, std::vector<float>& x) { t.softcap(x.data(), 50.0f, n); });
      check(row, [&](const KernelTable& t, std::vector<float>& x) { t.softcap(x.data(), 0.3f, n); });
      check(row, [&](const KernelTable& t, std::vector<float>& x) { t.gelu(x.data(), n); });
      check(row, [&](const KernelTable& t, std::vector<float>& x) { t.gelu_exact(x.data(), n); });
      const auto other = numbers(rng, n, true);
      check(row, [&](const KernelTable& t, std::vector<float>& x) {
        t.add_scaled(x.data(), other.data(), 0.7f, n);
      });
      check(row, [&](const KernelTable& t, std::vector<float>& x) {
        t.gelu_mul(x.data(), other.data(), n, x.data());
      });
    }
  }
}

TEST(Softcap, IsCloseToTheFormulaAndNeverBeyondTheCap) {
  for (const float cap : {0.5f, 30.0f, 50.0f}) {
    for (float x = -400; x <= 400; x += 0.313f) {
      float y = x;
      scalar_table().softcap(&y, cap, 1);
      const double expected = cap * std::tanh(double{x} / cap);
      EXPECT_NEAR(y, expected, 6e-7 * std::abs(expected)) << x << " cap " << cap;
      EXPECT_LE(std::abs(y), cap);
    }
  }
}

TEST(Gelu, IsCloseToTheFormulaInDouble) {
  for (float x = -6; x <= 12; x += 0.0137f) {
    float y = x, product = 0;
    const float up = 1.5f;
    scalar_table().gelu(&y, 1);
    scalar_table().gelu_mul(&x, &up, 1, &product);
    const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * double{x} * x);
    const double expected = 0.5 * x * (1 + std::tanh(u));
    EXPECT_NEAR(y, expected, 2e-6 * std::abs(expected) + 1e-9) << x;
    EXPECT_EQ(product, y * up) << x;
  }
}

// Near 0 as good as a float can be; in the lower tail, where 1 + erf cancels, still to a few units in the
// sixth place.
TEST(GeluExact, IsCloseToTheFormulaInDouble) {
  for (float x = -8; x <= 12; x += 0.00137f) {
    float y = x;
    scalar_table().gelu_exact(&y, 1);
    const double expected = 0.5 * x * std::erfc(-double{x} / std::sqrt(2.0));
    const double relative = x > -1 ? 5e-7 : 4e-6;
    EXPECT_NEAR(y, expected, relative * std::abs(expected) + 1e-37) << x;
  }
}

TEST(GeluExact, EndsOfTheRange) {
  const auto gelu = [](float x) {
    scalar_table().gelu_exact(&x, 1);
    return x;
  };
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(gelu(0.0f), 0.0f);
  EXPECT_EQ(gelu(-0.0f), 0.0f);
  EXPECT_EQ(gelu(inf), inf);
  EXPECT_EQ(gelu(-inf), 0.0f);
  EXPECT_EQ(gelu(3e38f), 3e38f);
  EXPECT_EQ(gelu(-3e38f), 0.0f);
  EXPECT_EQ(gelu(20.0f), 20.0f);
  EXPECT_TRUE(std::isnan(gelu(std::numeric_limits<float>::quiet_NaN())));
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
