#include "implementations.h"

namespace kelda::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<KernelTable> all_tables() {
  auto tables = test::implementations();
  tables.push_back(scalar_table());
  return tables;
}

int64_t argmax(const KernelTable& table, const std::vector<float>& x) {
  return table.argmax(x.data(), static_cast<int64_t>(x.size()));
}

TEST(Argmax, TakesTheLowestOfEquals) {
  for (const KernelTable& table : all_tables()) {
    for (std::size_t n = 1; n <= 70; ++n) {
      for (std::size_t first = 0; first < n; ++first) {
        std::vector<float> x(n, 1.0f);
        for (std::size_t i = first; i < n; i += 3) x[i] = 2.0f;
        ASSERT_EQ(argmax(table, x), static_cast<int64_t>(first)) << table.name << " n = " << n;
      }
    }
  }
}

TEST(Argmax, ZerosOfBothSignsAreEqual) {
  for (const KernelTable& table : all_tables()) {
    EXPECT_EQ(argmax(table, {-1.0f, -0.0f, 0.0f}), 1) << table.name;
    std::vector<float> x(40, -0.0f);
    x[17] = 0.0f;
    EXPECT_EQ(argmax(table, x), 0) << table.name;
  }
}

TEST(Argmax, NanIsNeverTheLargest) {
  for (const KernelTable& table : all_tables()) {
    EXPECT_EQ(argmax(table, {kNan, -kInf, kNan}), 1) << table.name;
    EXPECT_EQ(argmax(table, {kNan, 1.0f, kNan, 3.0f, kInf, kNan}), 4) << table.name;
    EXPECT_EQ(argmax(table, {kNan, kNan}), 0) << table.name;
    EXPECT_EQ(argmax(table, std::vector<float>(33, kNan)), 0) << table.name;
    std::vector<float> x(50, kNan);
    x[20] = -kInf;
    EXPECT_EQ(argmax(table, x), 20) << table.name;
  }
}

TEST(Argmax, EqualsTheReferenceOnAnything) {
  std::mt19937 rng(5);
  for (const KernelTable& table : test::implementations()) {
    for (int64_t n = 1; n <= 300; ++n) {
      const auto x = test::numbers(rng, n, n % 2 == 0);
      ASSERT_EQ(argmax(table, x), argmax(scalar_table(), x)) << table.name << " n = " << n;
    }
  }
}

}  // namespace
}  // namespace kelda::kernels
