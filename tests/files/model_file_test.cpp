#include "files/model_file.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(TensorInfo, CountsElementsRowsAndColumns) {
  TensorInfo t;
  t.shape = {3, 2, 4};
  EXPECT_EQ(t.n_elements(), 24);
  EXPECT_EQ(t.rows(), 6);
  EXPECT_EQ(t.cols(), 4);
  t.shape = {5};
  EXPECT_EQ(t.rows(), 1);
  EXPECT_EQ(t.cols(), 5);
}

}  // namespace
}  // namespace kelda
