// The kernel tables that the row tests compare with the scalar one: the templates on plain arrays everywhere,
// and each instruction set that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "kernels/kernel_table.h"
#include "kernels/vector/attention.h"
#include "kernels/vector/rows.h"
#include "kernels/vector/store_kv.h"
#include "plain_lanes.h"

namespace kelda::kernels::test {

inline KernelTable plain_table() {
  using L = PlainLanes;
  KernelTable t = scalar_table();
  t.name = "plain";
  t.rms_norm = [](const float* x, const float* w, float eps, int64_t n, float* y) noexcept {
    vector::rms_norm<L>(x, w, eps, n, y);
  };
  t.layer_norm = [](const float* x, const float* w, const float* b, float eps, int64_t n, float* y) noexcept {
    vector::layer_norm<L>(x, w, b, eps, n, y);
  };
  t.add_scaled = [](float* x, const float* y, float factor, int64_t n) noexcept {
    vector::add_scaled<L>(x, y, factor, n);
  };
  t.scale = [](float* x, float factor, int64_t n) noexcept { vector::scale<L>(x, factor, n); };
  t.softcap = [](float* x, float cap, int64_t n) noexcept { vector::softcap<L>(x, cap, n); };
  t.gelu_mul = [](const float* g, const float* u, int64_t n, float* o) noexcept {
    vector::gelu_mul<L>(g, u, n, o);
  };
  t.gelu = [](float* x, int64_t n) noexcept { vector::gelu<L>(x, n); };
  t.gelu_exact = [](float* x, int64_t n) noexcept { vector::gelu_exact<L>(x, n); };
  t.add = [](float* x, const float* y, int64_t n) noexcept { vector::add<L>(x, y, n); };
  t.silu_mul = [](const float* g, const float* u, int64_t n, float* o) noexcept {
    vector::silu_mul<L>(g, u, n, o);
  };
  t.rope = [](float* x, const float* c, const float* s, int64_t n, bool interleaved) noexcept {
    vector::rope<L>(x, c, s, n, interleaved);
  };
  t.attention = [](const AttentionArgs& a) noexcept { vector::attention<L>(a); };
  t.store_kv = [](KvType type, const float* k, const float* v, int d, int slot, std::byte* kb,
                  std::byte* vb) noexcept { vector::store_kv<L>(type, k, v, d, slot, kb, vb); };
  t.argmax = [](const float* x, int64_t n) noexcept { return vector::argmax<L>(x, n); };
  return t;
}

// Every implementation but the reference.
inline std::vector<KernelTable> implementations() {
  std::vector<KernelTable> all = {plain_table()};
  for (const Isa isa : kIsas) {
    if (isa != Isa::kScalar && available(isa)) all.push_back(table_of(isa));
  }
  return all;
}

// Index of the first element that differs, -1 if none does. A NaN equals any NaN: which of several NaNs an
// operation hands on is not defined by IEEE 754.
inline int64_t first_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return static_cast<int64_t>(i);
  }
  return -1;
}

// n numbers of every size: mostly N(0, 1), some huge, tiny, denormal, zero of both signs; with `wild`,
// infinities and NaN.
inline std::vector<float> numbers(std::mt19937& rng, int64_t n, bool wild) {
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> kind(0, 39);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) {
    v = normal(rng);
    switch (kind(rng)) {
      case 0:
        v *= 1e30f;
        break;
      case 1:
        v *= 1e-30f;
        break;
      case 2:
        v *= 1e-41f;
        break;
      case 3:
        v = 0.0f;
        break;
      case 4:
        v = -0.0f;
        break;
      case 5:
        v *= 100.0f;
        break;
      case 6:
        v = wild ? kInf : v;
        break;
      case 7:
        v = wild ? -kInf : v;
        break;
      case 8:
        v = wild ? std::numeric_limits<float>::quiet_NaN() : v;
        break;
      default:
        break;
    }
  }
  return x;
}

}  // namespace kelda::kernels::test
