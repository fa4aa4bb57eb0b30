#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kelda {
namespace {

uint32_t bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}
float number(uint32_t u) {
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

// Every exponent and rounding case: the neighbours of each f16 value and of each midpoint, and random bits.
template <typename Body>
void for_many_floats(const Body& body) {
  for (uint32_t h = 0; h < 0x7C00; ++h) {
    const float a = to_float(f16{static_cast<uint16_t>(h)}), b = to_float(f16{static_cast<uint16_t>(h + 1)});
    const uint32_t middle = bits(std::isinf(b) ? 65520.0f : a + (b - a) / 2);
    for (uint32_t u : {bits(a), bits(a) + 1, middle - 1, middle, middle + 1}) {
      body(number(u));
      body(number(u | 0x80000000u));
    }
  }
  std::mt19937 rng(1);
  for (int i = 0; i < 2000000; ++i) body(number(static_cast<uint32_t>(rng())));
  for (const uint32_t u : {0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x7F800001u, 0xFF923456u, 1u, 0x80000001u})
    body(number(u));
}

TEST(Half, EveryPatternMeansWhatIeeeSays) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float f = to_float(f16{static_cast<uint16_t>(h)});
    const int exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 1023);
    ASSERT_EQ(std::signbit(f), h >= 0x8000);
    if (exponent == 31) {
      ASSERT_EQ(std::isnan(f), fraction != 0);
      ASSERT_EQ(std::isinf(f), fraction == 0);
    } else {
      const double expected =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      ASSERT_EQ(std::abs(f), expected) << h;
    }
  }
}

TEST(Half, EveryPatternSurvivesTheRoundTrip) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto pattern = static_cast<uint16_t>(h);
    const uint16_t back = to_f16(to_float(f16{pattern})).bits;
    const bool signalling = (h & 0x7C00) == 0x7C00 && (h & 0x3FF) != 0 && !(h & 0x200);
    ASSERT_EQ(back, signalling ? (h | 0x200) : h);
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(to_f16(1.0f).bits, 0x3C00);
  EXPECT_EQ(to_f16(1.0f + 0x1p-11f).bits, 0x3C00);      // a tie: down to even
  EXPECT_EQ(to_f16(1.0f + 0x3p-11f).bits, 0x3C02);      // a tie: up to even
  EXPECT_EQ(to_f16(1.0f + 0x1.002p-11f).bits, 0x3C01);  // just above
  EXPECT_EQ(to_f16(65519.996f).bits, 0x7BFF);           // the largest
  EXPECT_EQ(to_f16(65520.0f).bits, 0x7C00);             // rounds to infinity
  EXPECT_EQ(to_f16(0x1p-25f).bits, 0x0000);             // half the smallest: to even
  EXPECT_EQ(to_f16(0x1.000002p-25f).bits, 0x0001);
  EXPECT_EQ(to_f16(-0x1p-24f).bits, 0x8001);
  EXPECT_EQ(to_f16(0x1.ffcp-15f).bits, 0x0400);  // subnormal that rounds up to normal
  EXPECT_EQ(to_f16(-0.0f).bits, 0x8000);
}

TEST(Half, NearestByExhaustiveNeighbourCheck) {
  for_many_floats([](float x) {
    if (std::isnan(x) || std::abs(x) >= 65520.0f) return;
    const uint16_t h = to_f16(x).bits;
    const double error = std::abs(double{to_float(f16{h})} - x);
    for (const int step : {-1, 1}) {
      const auto other = static_cast<uint16_t>(h + step);
      if ((other & 0x7C00) == 0x7C00 || (other & 0x8000) != (h & 0x8000)) continue;
      const double other_error = std::abs(double{to_float(f16{other})} - x);
      ASSERT_TRUE(error < other_error || (error == other_error && h % 2 == 0)) << x;
    }
  });
}

#if defined(__x86_64__)
[[gnu::target("f16c")]] uint16_t hardware_to_f16(float x) {
  return static_cast<uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set1_ps(x), _MM_FROUND_TO_NEAREST_INT), 0));
}
[[gnu::target("f16c")]] float hardware_to_float(uint16_t h) {
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_set1_epi16(static_cast<int16_t>(h))));
}

TEST(Half, EqualsTheHardware) {
  if (!available(Isa::kAvx2)) GTEST_SKIP() << "this machine has no F16C";
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto pattern = static_cast<uint16_t>(h);
    ASSERT_EQ(bits(to_float(f16{pattern})), bits(hardware_to_float(pattern))) << h;
  }
  for_many_floats([](float x) { ASSERT_EQ(to_f16(x).bits, hardware_to_f16(x)) << x; });
}
#endif

TEST(Bfloat, IsTheUpperHalfRoundedToNearestEven) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto pattern = static_cast<uint16_t>(h);
    ASSERT_EQ(bits(to_float(bf16{pattern})), h << 16);
    const bool nan = (h & 0x7F80) == 0x7F80 && (h & 0x7F) != 0;
    ASSERT_EQ(to_bf16(to_float(bf16{pattern})).bits, nan ? (h | 0x40) : h);
  }
  EXPECT_EQ(to_bf16(number(0x3F808000)).bits, 0x3F80);  // ties
  EXPECT_EQ(to_bf16(number(0x3F818000)).bits, 0x3F82);
  EXPECT_EQ(to_bf16(number(0x3F808001)).bits, 0x3F81);
  EXPECT_EQ(to_bf16(number(0x7F7FFFFF)).bits, 0x7F80);  // rounds to infinity
  EXPECT_TRUE(std::isnan(to_float(to_bf16(number(0x7F800001)))));
}

}  // namespace
}  // namespace kelda
