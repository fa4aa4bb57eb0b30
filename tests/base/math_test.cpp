#include "base/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kelda {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Exp2, RelativeErrorIsBelowOneInTenMillion) {
  double worst = 0;
  for (float x = -126.0f; x < 128.0f; x += 0.00037f) {
    const long double exact = std::exp2(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs(exp2_f32(x) - exact) / exact));
  }
  EXPECT_LT(worst, 1e-7);
}

TEST(Exp2, WholeNumbersAreExact) {
  for (int n = -126; n < 128; ++n) EXPECT_EQ(exp2_f32(static_cast<float>(n)), std::ldexp(1.0f, n)) << n;
}

TEST(Exp2, EndsOfTheRange) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(exp2_f32(std::nextafter(-126.0f, -200.0f)), 0.0f);
  EXPECT_EQ(exp2_f32(-inf), 0.0f);
  EXPECT_FALSE(std::signbit(exp2_f32(-inf)));
  EXPECT_EQ(exp2_f32(128.0f), inf);
  EXPECT_EQ(exp2_f32(inf), inf);
  EXPECT_TRUE(std::isfinite(exp2_f32(std::nextafter(128.0f, 0.0f))));
  EXPECT_TRUE(std::isnan(exp2_f32(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(exp2_f32(-0.0f), 1.0f);
  EXPECT_EQ(exp2_f32(1e-40f), 1.0f);
}

TEST(Exp2, NeverFallsWhereTheArgumentRises) {
  // Around the seams, where the polynomial changes to the next power.
  for (int n = -126; n < 128; ++n) {
    float x = static_cast<float>(n) + 0.5f;
    for (int i = 0; i < 50; ++i) x = std::nextafter(x, -1000.0f);
    float before = exp2_f32(x);
    for (int i = 0; i < 100 && x < 128; ++i) {
      x = std::nextafter(x, 1000.0f);
      const float here = exp2_f32(x);
      ASSERT_GE(here, before * (1 - 1.2e-7f)) << x;
      before = here;
    }
  }
}

TEST(Tanh, RelativeErrorIsBelowFiveInTenMillion) {
  double worst = 0;
  for (float x = 1e-30f; x < 30.0f; x *= 1.0001f) {
    const long double exact = std::tanh(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs(tanh_f32(x) - exact) / exact));
  }
  EXPECT_LT(worst, 5e-7);
}

TEST(Tanh, IsOddAndEndsAtOne) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (float x = 1e-6f; x < 100.0f; x *= 1.01f) EXPECT_EQ(tanh_f32(-x), -tanh_f32(x)) << x;
  for (const float x : {20.0f, 1000.0f, std::numeric_limits<float>::max(), inf}) {
    EXPECT_EQ(tanh_f32(x), 1.0f) << x;
    EXPECT_EQ(tanh_f32(-x), -1.0f) << x;
  }
  EXPECT_EQ(tanh_f32(0.0f), 0.0f);
  EXPECT_TRUE(std::signbit(tanh_f32(-0.0f)));
  EXPECT_TRUE(std::isnan(tanh_f32(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Exp, RelativeErrorIsBelowTwoInTenToFifteen) {
  double worst = 0;
  for (double x = -700; x < 709; x += 0.01373) {
    const long double exact = std::exp(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs(exp_f64(x) - exact) / exact));
  }
  EXPECT_LT(worst, 2e-15);
  EXPECT_EQ(exp_f64(0), 1.0);
  EXPECT_EQ(exp_f64(-kInf), 0.0);
  EXPECT_EQ(exp_f64(kInf), kInf);
  EXPECT_EQ(exp_f64(-1000), 0.0);
  EXPECT_TRUE(std::isnan(exp_f64(std::nan(""))));
}

TEST(Log, RelativeErrorIsBelowTwoInTenToFifteen) {
  double worst = 0;
  const auto look = [&](double x) {
    const long double exact = std::log(static_cast<long double>(x));
    worst = std::max(worst, static_cast<double>(std::abs(log_f64(x) - exact) / std::abs(exact)));
  };
  for (double x = 1e-300; x < 1e300; x *= 1.37) look(x);
  for (double x = 0.3; x < 3; x += 0.000317) look(x);
  for (double d = 1e-15; d < 0.1; d *= 1.7) {
    look(1 + d);
    look(1 - d);
  }
  look(5e-324);
  EXPECT_LT(worst, 2e-15);
  EXPECT_EQ(log_f64(1), 0.0);
  EXPECT_EQ(log_f64(0), -kInf);
  EXPECT_EQ(log_f64(kInf), kInf);
  EXPECT_TRUE(std::isnan(log_f64(-1)));
  EXPECT_TRUE(std::isnan(log_f64(std::nan(""))));
}

TEST(SinCos, AbsoluteErrorIsBelowTwoInTenToFifteen) {
  std::mt19937_64 rng(1);
  double worst = 0;
  for (const double range : {1.0, 100.0, 1e5, 1e8}) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int i = 0; i < 50000; ++i) {
      const double x = any(rng);
      const SinCos got = sincos_f64(x);
      worst = std::max(worst, static_cast<double>(std::abs(got.sin - std::sin(static_cast<long double>(x)))));
      worst = std::max(worst, static_cast<double>(std::abs(got.cos - std::cos(static_cast<long double>(x)))));
    }
  }
  EXPECT_LT(worst, 2e-15);
  EXPECT_EQ(sincos_f64(0).sin, 0.0);
  EXPECT_EQ(sincos_f64(0).cos, 1.0);
}

}  // namespace
}  // namespace kelda
