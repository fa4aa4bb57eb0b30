#include <fmt/format.h>

#include "implementations.h"

namespace kelda::kernels {
namespace {

using test::first_difference;
using test::implementations;

// Blocks of one split with `n_keys` written keys; what is not written is NaN. Values have the size that real
// ones have.
struct Split {
  KvType type;
  int head_dim;
  std::vector<std::vector<std::byte>> memory;
  std::vector<const std::byte*> k, v;
  std::vector<float> keys, values;  // [n_keys][head_dim] as written, at cache precision

  Split(std::mt19937& rng, KvType t, int d, int n_keys) : type(t), head_dim(d) {
    const auto bytes = static_cast<std::size_t>(kKvBlock * d * element_bytes(t));
    for (int i = 0; i < 2 * kKvSplit / kKvBlock; ++i)
      memory.emplace_back(bytes, std::byte{0xFF});  // 0xFF… is NaN
    for (std::size_t b = 0; b < kKvSplit / kKvBlock; ++b) {
      const bool used = static_cast<int>(b) * kKvBlock < n_keys;
      k.push_back(used ? memory[2 * b].data() : nullptr);
      v.push_back(used ? memory[2 * b + 1].data() : nullptr);
    }
    std::normal_distribution<float> normal;
    std::vector<float> key(static_cast<std::size_t>(d)), value(key);
    for (int j = 0; j < n_keys; ++j) {
      for (float& x : key) x = cached(normal(rng));
      for (float& x : value) x = cached(normal(rng));
      keys.insert(keys.end(), key.begin(), key.end());
      values.insert(values.end(), value.begin(), value.end());
      const auto b = static_cast<std::size_t>(j / kKvBlock);
      scalar_table().store_kv(t, key.data(), value.data(), d, j % kKvBlock, memory[2 * b].data(),
                              memory[2 * b + 1].data());
    }
  }
  float cached(float x) const { return type == KvType::kF16 ? to_float(to_f16(x)) : x; }
};

struct Rows {
  std::vector<std::vector<float>> q;
  std::vector<const float*> pointers;
  std::vector<int64_t> first, last;

  void add(std::mt19937& rng, int head_dim, int64_t first_key, int64_t last_key) {
    std::normal_distribution<float> normal(0, 3.0f / std::sqrt(static_cast<float>(head_dim)));
    q.emplace_back(static_cast<std::size_t>(head_dim));
    for (float& x : q.back()) x = normal(rng);
    pointers.push_back(q.back().data());
    first.push_back(first_key);
    last.push_back(last_key);
  }
};

struct Result {
  std::vector<float> m, l, o;
};

Result run(const KernelTable& table, const Split& split, int64_t split_number, const Rows& rows,
           float softcap = 0) {
  const std::size_t n = rows.pointers.size();
  Result r{std::vector<float>(n, 5), std::vector<float>(n, 5),
           std::vector<float>(n * static_cast<std::size_t>(split.head_dim), 5)};
  AttentionArgs a;
  a.kv_type = split.type;
  a.head_dim = split.head_dim;
  a.softcap = softcap;
  a.n_rows = static_cast<int64_t>(n);
  a.q = rows.pointers.data();
  a.first_key = rows.first.data();
  a.last_key = rows.last.data();
  a.split = split_number;
  a.k_blocks = split.k.data();
  a.v_blocks = split.v.data();
  a.m = r.m.data();
  a.l = r.l.data();
  a.o = r.o.data();
  table.attention(a);
  return r;
}

void expect_same(const Result& a, const Result& b, const std::string& what) {
  EXPECT_EQ(first_difference(a.m, b.m), -1) << what;
  EXPECT_EQ(first_difference(a.l, b.l), -1) << what;
  EXPECT_EQ(first_difference(a.o, b.o), -1) << what;
}

struct Shape {
  KvType type;
  int head_dim;
};
class AttentionKernel : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, AttentionKernel,
                         testing::Values(Shape{KvType::kF32, 16}, Shape{KvType::kF32, 64},
                                         Shape{KvType::kF32, 80}, Shape{KvType::kF32, 128},
                                         Shape{KvType::kF16, 16}, Shape{KvType::kF16, 64},
                                         Shape{KvType::kF16, 80}, Shape{KvType::kF16, 128}));

TEST_P(AttentionKernel, EqualsTheReferenceBitForBit) {
  const auto [type, head_dim] = GetParam();
  std::mt19937 rng(1);
  for (const int n_keys : {1, 15, 64, 65, 200, 512}) {
    const Split split(rng, type, head_dim, n_keys);
    for (int64_t n_rows = 1; n_rows <= 9; ++n_rows) {
      Rows rows;
      std::uniform_int_distribution<int64_t> any(0, n_keys - 1);
      const int64_t start = 3 * kKvSplit;  // keys are absolute
      for (int64_t r = 0; r < n_rows; ++r) {
        int64_t first = any(rng), last = any(rng);
        if (n_rows % 3 == 0) first = 0, last = n_keys - n_rows + r;  // causal
        if (n_rows == 5) first = last = r == 2 ? n_keys - 1 : 0;     // single keys
        if (n_rows == 7 && r == 3) last = -1;                        // none here
        if (n_rows == 8) first = -700, last = 3000;                  // beyond the split on both sides
        if (n_rows == 8 && n_keys < kKvSplit) last = n_keys - 1;
        rows.add(rng, head_dim, start + first, start + last);
      }
      const Result expected = run(scalar_table(), split, 3, rows);
      for (const float x : expected.o) ASSERT_FALSE(std::isnan(x)) << "an unwritten slot came through";
      for (const KernelTable& table : implementations()) {
        expect_same(expected, run(table, split, 3, rows),
                    fmt::format("{} keys {} rows {}", table.name, n_keys, n_rows));
      }
      const Result capped = run(scalar_table(), split, 3, rows, 2.5f);
      for (const float x : capped.o) ASSERT_FALSE(std::isnan(x)) << "an unwritten slot came through";
      for (const KernelTable& table : implementations()) {
        expect_same(capped, run(table, split, 3, rows, 2.5f),
                    fmt::format("{} keys {} rows {} capped", table.name, n_keys, n_rows));
      }
    }
  }
}

TEST_P(AttentionKernel, IsCloseToSoftmaxInDouble) {
  const auto [type, head_dim] = GetParam();
  std::mt19937 rng(2);
  const int n_keys = 300;
  const Split split(rng, type, head_dim, n_keys);
  Rows rows;
  rows.add(rng, head_dim, 0, n_keys - 1);
  rows.add(rng, head_dim, 70, 250);
  const auto d = static_cast<std::size_t>(head_dim);
  for (const float cap : {0.0f, 2.5f})
    for (std::size_t r = 0; r < 2; ++r) {
      const Result got = run(scalar_table(), split, 0, rows, cap);
      std::vector<double> out(d, 0.0);
      double l = 0, m = -1e300;
      std::vector<double> s;
      for (int64_t j = rows.first[r]; j <= rows.last[r]; ++j) {
        double dot = 0;
        for (std::size_t i = 0; i < d; ++i)
          dot += double{rows.q[r][i]} * split.keys[static_cast<std::size_t>(j) * d + i];
        if (cap > 0) dot = cap * std::tanh(dot / cap);
        s.push_back(dot);
        m = std::max(m, dot);
      }
      for (std::size_t j = 0; j < s.size(); ++j) {
        const double p = std::exp2(s[j] - m);
        l += p;
        const std::size_t at = (static_cast<std::size_t>(rows.first[r]) + j) * d;
        for (std::size_t i = 0; i < d; ++i) out[i] += p * split.values[at + i];
      }
      for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(got.o[r * d + i] / got.l[r], out[i] / l, 3e-6);
    }
}

TEST_P(AttentionKernel, RowWithoutKeysIsEmptyAndReadsNothing) {
  const auto [type, head_dim] = GetParam();
  std::mt19937 rng(3);
  const Split split(rng, type, head_dim, 0);  // every block is null
  Rows rows;
  for (int r = 0; r < 3; ++r) rows.add(rng, head_dim, 600, 100);
  rows.add(rng, head_dim, 600, 700);
  auto tables = implementations();
  tables.push_back(scalar_table());
  for (const KernelTable& table : tables) {
    const Result got = run(table, split, 0, rows);
    for (std::size_t r = 0; r < 4; ++r) {
      EXPECT_EQ(got.m[r], -std::numeric_limits<float>::infinity()) << table.name;
      EXPECT_EQ(got.l[r], 0.0f) << table.name;
    }
    for (const float x : got.o) EXPECT_EQ(x, 0.0f) << table.name;
  }
}

// Rows of one tile share loads: what one row attends to must not touch its neighbour, not even the sign of a
// zero.
TEST_P(AttentionKernel, RowDoesNotDependOnItsNeighbours) {
  const auto [type, head_dim] = GetParam();
  std::mt19937 rng(4);
  Split split(rng, type, head_dim, 512);
  Rows all;
  for (int r = 0; r < 4; ++r) all.add(rng, head_dim, 30 * r, 200 + 60 * r);
  auto tables = implementations();
  tables.push_back(scalar_table());
  for (const KernelTable& table : tables) {
    const Result together = run(table, split, 0, all);
    for (std::size_t r = 0; r < 4; ++r) {
      Rows one;
      one.q = {all.q[r]};
      one.pointers = {one.q[0].data()};
      one.first = {all.first[r]};
      one.last = {all.last[r]};
      const Result alone = run(table, split, 0, one);
      EXPECT_EQ(alone.m[0], together.m[r]) << table.name;
      EXPECT_EQ(alone.l[0], together.l[r]) << table.name;
      const auto d = static_cast<std::size_t>(head_dim);
      EXPECT_EQ(std::memcmp(alone.o.data(), together.o.data() + r * d, d * sizeof(float)), 0) << table.name;
    }
  }
}

TEST_P(AttentionKernel, HugeScoresDenormalWeightsAndNanQueriesStayEqual) {
  const auto [type, head_dim] = GetParam();
  std::mt19937 rng(5);
  const Split split(rng, type, head_dim, 130);
  Rows rows;
  for (const float factor : {1e3f, 1e30f, 1e-38f, 30.0f, 0.0f}) {
    rows.add(rng, head_dim, 0, 129);
    for (float& x : rows.q.back()) x *= factor;
  }
  rows.add(rng, head_dim, 5, 100);
  rows.q.back()[3] = std::numeric_limits<float>::quiet_NaN();
  rows.add(rng, head_dim, 0, 129);
  rows.q.back()[0] = std::numeric_limits<float>::infinity();
  const Result expected = run(scalar_table(), split, 0, rows);
  for (const KernelTable& table : implementations()) {
    expect_same(expected, run(table, split, 0, rows), std::string(table.name));
  }
}

}  // namespace
}  // namespace kelda::kernels
