#include "measure/machine.h"

#include <gtest/gtest.h>

#include "engine/runner.h"

namespace kelda::measure {
namespace {

TEST(Machine, KeepsTheBestOfItsRounds) {
  ThreadPool pool(1);
  const auto* q4 = quant::find_format(std::string_view("q4_1"));
  const auto* q8 = quant::find_format(std::string_view("q8_0"));
  Machine machine({pool, choose_kernels()},
                  {.formats = {q4, q4}, .n_heads = 4, .n_kv_heads = 2, .head_dim = 64});
  EXPECT_EQ(machine.macs_per_s(*q4), 0) << "nothing was measured yet";
  machine.round();
  const double bytes = machine.bytes_per_s(), q4_rate = machine.macs_per_s(*q4);
  EXPECT_GT(bytes, 0);
  EXPECT_GT(q4_rate, 0);
  EXPECT_GT(machine.attention_macs_per_s(), 0);
  EXPECT_GT(machine.int8_peak(), 0);
  EXPECT_EQ(machine.macs_per_s(*q8), 0) << "not asked for";
  const double region = machine.region_seconds();
  machine.round();
  EXPECT_GE(machine.bytes_per_s(), bytes);
  EXPECT_GE(machine.macs_per_s(*q4), q4_rate);
  EXPECT_LE(machine.region_seconds(), region);
}

}  // namespace
}  // namespace kelda::measure
