#include "ops/embed.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kelda::ops {
namespace {

TEST(Embed, GivesTheTablesRowsInTheOrderOfTheTokens) {
  for (const quant::FormatSpec* format : quant::formats()) {
    SCOPED_TRACE(std::string(format->name));
    constexpr int64_t kRows = 37;
    const int64_t n_cols = 96 % format->block_size == 0 ? 96 : format->block_size;
    const auto width = static_cast<std::size_t>(n_cols);
    std::vector<float> table(kRows * width);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i % 251) * 0.03f - 3.5f;
    std::vector<std::byte> rows;
    std::vector<float> expected(table.size());
    const int64_t bytes = quant::row_bytes(*format, n_cols);
    rows.resize(static_cast<std::size_t>(kRows * bytes));
    format->quantize(table.data(), rows.data(), kRows * n_cols);
    format->dequantize(rows.data(), expected.data(), kRows * n_cols);
    quant::PackedMatrix packed(*format, kRows, n_cols);
    packed.pack_groups(0, packed.n_groups(), rows.data());

    ThreadPool pool(2);
    Exec exec{pool, kernels::scalar_table()};
    const std::vector<int32_t> tokens = {36, 0, 15, 16, 36};
    std::vector<float> out(tokens.size() * width);
    embed(exec, packed, tokens, {out.data(), static_cast<int64_t>(tokens.size()), n_cols});
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      EXPECT_EQ(std::memcmp(&out[t * width], &expected[static_cast<std::size_t>(tokens[t]) * width],
                            width * sizeof(float)),
                0)
          << "token " << tokens[t];
    }
  }
}

TEST(EmbedDeathTest, AnIdOutsideTheTableIsOurOwnBug) {
  const auto& format = *quant::find_format(std::string_view("f32"));
  quant::PackedMatrix packed(format, 4, 16);
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  std::vector<float> out(16);
  const std::vector<int32_t> tokens = {4};
  EXPECT_DEATH(embed(exec, packed, tokens, {out.data(), 1, 16}), "check failed");
}

}  // namespace
}  // namespace kelda::ops
