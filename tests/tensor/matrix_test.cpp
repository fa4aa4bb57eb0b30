#include "tensor/matrix.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace kelda {
namespace {

std::vector<float> counted(std::size_t n) {
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 0.0f);
  return x;
}

TEST(Matrix, RowsAreStrideApart) {
  auto x = counted(20);
  const Matrix<float> m(x.data(), 3, 4, 6);
  EXPECT_EQ(*m.row(0), 0.0f);
  EXPECT_EQ(*m.row(2), 12.0f);
  EXPECT_EQ(m.row_span(1).size(), 4u);
  EXPECT_EQ(m.row_span(1)[3], 9.0f);
  const Matrix<float> dense(x.data(), 3, 4);
  EXPECT_EQ(dense.row_stride, 4);
}

TEST(Matrix, RangesAreViewsOfTheSameMemory) {
  auto x = counted(24);
  const Matrix<float> m(x.data(), 4, 6);
  const Matrix<float> part = m.row_range(1, 2).col_range(2, 3);
  EXPECT_EQ(part.rows, 2);
  EXPECT_EQ(part.cols, 3);
  EXPECT_EQ(part.row(1)[2], 16.0f);
  part.row(1)[2] = -1.0f;
  EXPECT_EQ(x[16], -1.0f);
  EXPECT_EQ(m.row_range(4, 0).rows, 0);
  EXPECT_EQ(m.col_range(6, 0).cols, 0);
}

TEST(Matrix, BecomesAViewOfConst) {
  auto x = counted(6);
  const Matrix<const float> m = Matrix<float>(x.data(), 2, 3);
  EXPECT_EQ(m.row(1)[0], 3.0f);
  EXPECT_EQ(m.row_stride, 3);
}

TEST(MatrixDeathTest, RangeOutsideIsABug) {
  auto x = counted(6);
  const Matrix<float> m(x.data(), 2, 3);
  EXPECT_DEATH(m.row_range(1, 2), "rows");
  EXPECT_DEATH(m.row_range(-1, 1), "first >= 0");
  EXPECT_DEATH(m.col_range(2, 2), "cols");
  EXPECT_DEATH(m.col_range(0, -1), "count >= 0");
}

}  // namespace
}  // namespace kelda
