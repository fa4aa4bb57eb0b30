#include "calc/weight_sizes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::calc {
namespace {

constexpr int64_t kSevenB = 7'000'000'000;

TEST(WeightSize, OfSevenBillionParameters) {
  EXPECT_EQ(weight_size(kSevenB, 16).nominal_bytes, 14'000'000'000u);
  EXPECT_EQ(weight_size(kSevenB, 8).nominal_bytes, 7'000'000'000u);
  EXPECT_EQ(weight_size(kSevenB, 4).nominal_bytes, 3'500'000'000u);
  EXPECT_EQ(weight_size(kSevenB, 8).scaled_bytes, 7'437'500'000u) << "7.44 GB";
  EXPECT_EQ(weight_size(kSevenB, 4).scaled_bytes, 3'937'500'000u) << "3.94 GB";
  EXPECT_EQ(weight_size(kSevenB, 16).scaled_bytes, weight_size(kSevenB, 16).nominal_bytes);
}

TEST(CodeStep, OfALargestWeightOfOne) {
  EXPECT_EQ(code_step(8, 1), 1.0 / 127);
  EXPECT_EQ(code_step(4, 1), 1.0 / 7);
  EXPECT_EQ(code_step(8, 2.54), 0.02);
}

TEST(DecoderParameters, OfATinyDecoder) {
  ModelConfig c;
  c.n_layers = 2;
  c.hidden_size = 8;
  c.intermediate_size = 16;
  c.vocab_size = 100;
  c.n_heads = 4;
  c.n_kv_heads = 2;
  c.head_dim = 2;
  const int64_t attention = 8 * 8 + 2 * 8 * 4 + 8 * 8, feed_forward = 3 * 8 * 16;
  EXPECT_EQ(decoder_parameters(c), 2 * (attention + feed_forward) + 100 * 8);
  c.n_layers = c.hidden_size = int64_t{1} << 31;
  EXPECT_THROW(decoder_parameters(c), Error);
}

}  // namespace
}  // namespace kelda::calc
