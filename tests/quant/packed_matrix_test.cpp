// Packed matrices: sizes, and the layout that docs/formats/packed.md draws.
#include "quant/packed_matrix.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"

namespace kelda::quant {
namespace {

const FormatSpec& format(std::string_view name) { return *find_format(name); }

TEST(PackedMatrix, CostsWhatTheRowFormCostsWhenRowsAndColumnsAreWhole) {
  for (const FormatSpec* f : formats()) {
    EXPECT_EQ(packed_bytes(*f, 64, 1024), static_cast<uint64_t>(64 * row_bytes(*f, 1024))) << f->name;
  }
  EXPECT_EQ(format("q4_0").unit_bytes, 576);
  EXPECT_EQ(format("q4_1").unit_bytes, 640);
  EXPECT_EQ(format("q8_0").unit_bytes, 1088);
}

TEST(PackedMatrix, RoundsUpToGroupsAndUnits) {
  EXPECT_EQ(packed_bytes(format("q4_0"), 17, 96), uint64_t{2 * 2 * 576});
  const PackedMatrix w(format("q4_0"), 17, 96);
  EXPECT_EQ(w.n_groups(), 2);
  EXPECT_EQ(w.group_bytes(), 2 * 576);
  EXPECT_EQ(w.bytes(), 2u * 2u * 576u);
}

TEST(PackedMatrix, RefusesSizesThatDoNotFit) {
  const int64_t huge = std::numeric_limits<int64_t>::max() / 32 * 32;
  EXPECT_EQ(packed_bytes(format("q8_0"), huge, huge), std::nullopt);
  EXPECT_EQ(packed_bytes(format("f32"), 16, huge), std::nullopt);
  try {
    const PackedMatrix w(format("q8_0"), huge, huge);
    FAIL() << "a matrix of " << w.bytes() << " bytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_NE(std::string(e.what()).find("q8_0"), std::string::npos) << e.what();
  }
}

TEST(PackedMatrix, LaysNibblesOutByRowAndQuad) {
  // Row 3, block 1: vector v of the block holds in dword 3 the bytes 4v … 4v + 3 of the row's nibbles.
  std::vector<std::byte> rows(16 * 36);
  std::byte* block = rows.data() + 3 * 36 + 18;
  const uint16_t scale = 0x3C00;
  std::memcpy(block, &scale, 2);
  for (int i = 0; i < 16; ++i) block[2 + i] = static_cast<std::byte>(0xA0 + i);
  PackedMatrix w(format("q4_0"), 16, 64);
  w.pack_groups(0, 1, rows.data());
  for (int v = 0; v < 4; ++v) {
    for (int b = 0; b < 4; ++b) {
      EXPECT_EQ(w.group(0)[256 + v * 64 + 3 * 4 + b], static_cast<std::byte>(0xA0 + 4 * v + b));
    }
  }
  uint16_t packed;
  std::memcpy(&packed, w.group(0) + 512 + 32 + 3 * 2, 2);
  EXPECT_EQ(packed, scale);
}

TEST(PackedMatrix, StoresEightBitCodesWithTheSignBitFlipped) {
  std::vector<std::byte> row(34);
  row[1] = std::byte{0x3C};
  row[2] = std::byte{0x80};       // -128
  row[2 + 31] = std::byte{0x7F};  // 127
  PackedMatrix w(format("q8_0"), 1, 32);
  w.pack_groups(0, 1, row.data());
  EXPECT_EQ(w.group(0)[0], std::byte{0x00});
  EXPECT_EQ(w.group(0)[7 * 64 + 3], std::byte{0xFF});
}

}  // namespace
}  // namespace kelda::quant
