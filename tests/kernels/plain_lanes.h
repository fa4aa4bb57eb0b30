// Sixteen float lanes as a plain array: runs the templates of kernels/vector on any machine, and says what a
// backend must do.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/half.h"
#include "base/math.h"

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

}  // namespace kelda::kernels::test
