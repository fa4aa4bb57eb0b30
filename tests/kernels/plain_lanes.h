// Sixteen float lanes as a plain array: runs the templates of kernels/vector on any machine, and says what a
// backend must do.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "base/half.h"
#include "base/math.h"
#include "kernels/kernel_table.h"

namespace kelda::kernels::test {

struct PlainLanes {
  float x[16];

  template <typename Function>
  static PlainLanes each(const Function& f) {
    PlainLanes r;
    for (int i = 0; i < 16; ++i) r.x[i] = f(i);
    return r;
  }
  static PlainLanes broadcast(float v) {
    return each([&](int) { return v; });
  }
  static PlainLanes load(const float* p) {
    return each([&](int i) { return p[i]; });
  }
  static PlainLanes load(const f16* p) {
    return each([&](int i) { return to_float(p[i]); });
  }
  static PlainLanes load_first(const float* p, int64_t n) {
    return each([&](int i) { return i < n ? p[i] : 0.0f; });
  }
  void store(float* p) const { store_first(p, 16); }
  void store(f16* p) const {
    for (int i = 0; i < 16; ++i) p[i] = to_f16(x[i]);
  }
  void store_first(float* p, int64_t n) const {
    for (int i = 0; i < n; ++i) p[i] = x[i];
  }
  static void load_pairs(const float* p, PlainLanes& even, PlainLanes& odd) {
    even = each([&](int i) { return p[2 * i]; });
    odd = each([&](int i) { return p[2 * i + 1]; });
  }
  static void store_pairs(float* p, const PlainLanes& even, const PlainLanes& odd) {
    for (int i = 0; i < 16; ++i) {
      p[2 * i] = even.x[i];
      p[2 * i + 1] = odd.x[i];
    }
  }
  friend PlainLanes operator+(const PlainLanes& a, const PlainLanes& b) {
    return each([&](int i) { return a.x[i] + b.x[i]; });
  }
  friend PlainLanes operator-(const PlainLanes& a, const PlainLanes& b) {
    return each([&](int i) { return a.x[i] - b.x[i]; });
  }
  friend PlainLanes operator*(const PlainLanes& a, const PlainLanes& b) {
    return each([&](int i) { return a.x[i] * b.x[i]; });
  }
  friend PlainLanes operator/(const PlainLanes& a, const PlainLanes& b) {
    return each([&](int i) { return a.x[i] / b.x[i]; });
  }
  PlainLanes operator-() const {
    return each([&](int i) { return -x[i]; });
  }
  static PlainLanes fma(const PlainLanes& a, const PlainLanes& b, const PlainLanes& c) {
    return each([&](int i) { return std::fma(a.x[i], b.x[i], c.x[i]); });
  }
  static PlainLanes larger(const PlainLanes& a, const PlainLanes& b) {
    return each([&](int i) { return a.x[i] > b.x[i] ? a.x[i] : b.x[i]; });
  }
  static bool any_equal(const PlainLanes& a, const PlainLanes& b) {
    for (int i = 0; i < 16; ++i) {
      if (a.x[i] == b.x[i]) return true;
    }
    return false;
  }
  static PlainLanes choose(int64_t from, int64_t to, const PlainLanes& in, const PlainLanes& out) {
    return each([&](int i) { return i >= from && i <= to ? in.x[i] : out.x[i]; });
  }
  PlainLanes exp2() const {
    return each([&](int i) { return exp2_f32(x[i]); });
  }
  PlainLanes tanh() const {
    return each([&](int i) { return tanh_f32(x[i]); });
  }
  float sum() const {
    PlainLanes t = *this;
    for (int half = 8; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) t.x[i] += t.x[i + half];
    }
    return t.x[0];
  }
  float max() const {
    PlainLanes t = *this;
    for (int half = 8; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) t.x[i] = t.x[i] > t.x[i + half] ? t.x[i] : t.x[i + half];
    }
    return t.x[0];
  }
};

// Sixteen integers, or four bytes in each of sixteen lanes.
struct PlainInts {
  uint32_t x[16];

  template <typename Function>
  static PlainInts each(const Function& f) {
    PlainInts r;
    for (int i = 0; i < 16; ++i) r.x[i] = static_cast<uint32_t>(f(i));
    return r;
  }
  static PlainInts broadcast(int32_t v) {
    return each([&](int) { return v; });
  }
  static PlainInts bytes(int v) {
    return each([&](int) { return static_cast<uint32_t>(v & 0xFF) * 0x01010101u; });
  }
  static PlainInts load(const std::byte* p) {
    PlainInts r;
    std::memcpy(r.x, p, sizeof r.x);
    return r;
  }
  static PlainInts load_u8(const std::byte* p) {
    return each([&](int i) { return std::to_integer<uint32_t>(p[i]); });
  }
  static PlainInts load_u16(const std::byte* p) {
    uint16_t words[16];
    std::memcpy(words, p, sizeof words);
    return each([&](int i) { return words[i]; });
  }
  static PlainInts broadcast4(const int8_t* p) {
    uint32_t dword;
    std::memcpy(&dword, p, sizeof dword);
    return each([&](int) { return dword; });
  }
  void store(std::byte* p) const { std::memcpy(p, x, sizeof x); }

  friend PlainInts operator&(const PlainInts& a, const PlainInts& b) {
    return each([&](int i) { return a.x[i] & b.x[i]; });
  }
  friend PlainInts operator|(const PlainInts& a, const PlainInts& b) {
    return each([&](int i) { return a.x[i] | b.x[i]; });
  }
  friend PlainInts operator+(const PlainInts& a, const PlainInts& b) {
    return each([&](int i) { return a.x[i] + b.x[i]; });
  }
  friend PlainInts operator-(const PlainInts& a, const PlainInts& b) {
    return each([&](int i) { return a.x[i] - b.x[i]; });
  }
  friend PlainInts operator*(const PlainInts& a, const PlainInts& b) {
    return each([&](int i) { return a.x[i] * b.x[i]; });
  }
  template <int kBits>
  PlainInts up() const {
    return left(kBits);
  }
  PlainInts left(int bits) const {
    return each([&](int i) { return x[i] << bits; });
  }
  PlainInts right(int bits) const {
    return each([&](int i) { return x[i] >> bits; });
  }
  PlainInts right_signed(int bits) const {
    return each([&](int i) { return static_cast<int32_t>(x[i]) >> bits; });
  }
  template <int kN>
  PlainInts words_left() const {
    const auto moved = [](uint32_t word) {
      return (kN >= 0 ? word << (kN & 15) : word >> (-kN & 15)) & 0xFFFF;
    };
    return each([&](int i) { return moved(x[i] & 0xFFFF) | moved(x[i] >> 16) << 16; });
  }
  static PlainInts dot4(const PlainInts& sum, const PlainInts& codes, const PlainInts& q) {
    return each([&](int i) {
      uint32_t all = sum.x[i];
      for (int b = 0; b < 32; b += 8) {
        const int code = codes.x[i] >> b & 0xFF, value = static_cast<int8_t>(q.x[i] >> b & 0xFF);
        all += static_cast<uint32_t>(code * value);
      }
      return all;
    });
  }
  PlainInts looked_up(const uint8_t (&table)[16]) const {
    return each([&](int i) {
      uint32_t all = 0;
      for (int b = 0; b < 32; b += 8) all |= uint32_t{table[x[i] >> b & 0xF]} << b;
      return all;
    });
  }
  PlainInts less_than(int32_t limit, const PlainInts& a, const PlainInts& b) const {
    return each([&](int i) { return static_cast<int32_t>(x[i]) < limit ? a.x[i] : b.x[i]; });
  }
  static PlainInts shifted(int32_t v, const PlainInts& by) {
    return each([&](int i) { return by.x[i] > 31 ? 0 : static_cast<uint32_t>(v) << by.x[i]; });
  }
  PlainLanes to_floats() const {
    return PlainLanes::each([&](int i) { return static_cast<float>(static_cast<int32_t>(x[i])); });
  }
  PlainLanes as_floats() const {
    PlainLanes r;
    std::memcpy(r.x, x, sizeof x);
    return r;
  }
};

struct Lanes {
  using F = PlainLanes;
  using I = PlainInts;
  static constexpr bool kHasDot4 = true;
  static constexpr int kGroups = 2, kTokens = 3, kTokensOfHalves = 2;
  static constexpr int kFloatGroups = 2, kFloatTokens = 2, kFloatStreams = 2;

  static int32_t sum16(const int8_t* q) {
    int32_t sum = 0;
    for (int i = 0; i < 16; ++i) sum += q[i];
    return sum;
  }
  static void prefetch(const std::byte*) {}
};

// The matmul of every format on these lanes; generated.
std::span<const MatmulKernel* const> matmul_kernels();

}  // namespace kelda::kernels::test
