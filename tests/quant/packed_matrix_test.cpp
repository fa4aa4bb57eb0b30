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
    // A unit is rounded up to whole vectors: in q3_k and q6_k, whose 16 blocks are not, by half a vector.
    const auto unit = static_cast<uint64_t>(f->unit_bytes);
    const auto units = packed_bytes(*f, 64, 1024).value() / unit;
    const auto row_form = static_cast<uint64_t>(64 * row_bytes(*f, 1024));
    EXPECT_EQ(unit, (row_form / units + 63) / 64 * 64) << f->name;
    const bool half = f->name == "q3_k" || f->name == "q6_k";
    EXPECT_EQ(packed_bytes(*f, 64, 1024), row_form + (half ? units * 32 : 0)) << f->name;
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

// One row of one 256-column block in lane 5 of a group, with `fill` written over its bytes; the vector at
// `at`.
std::vector<uint8_t> packed_lane(const FormatSpec& f, const std::vector<uint8_t>& row, int at) {
  std::vector<std::byte> rows(static_cast<size_t>(16 * row_bytes(f, 256)));
  std::memcpy(rows.data() + 5 * row_bytes(f, 256), row.data(), row.size());
  PackedMatrix w(f, 16, 256);
  w.pack_groups(0, 1, rows.data());
  std::vector<uint8_t> dword(4);
  std::memcpy(dword.data(), w.group(0) + at + 5 * 4, 4);
  return dword;
}

TEST(PackedMatrix, KeepsTheFactorsOfQ4KInThreeDwordsOfARow) {
  // Scales 1 … 8 and mins 33 … 40, as superblock.h lays them out in row form.
  std::vector<uint8_t> row(144);
  for (int i = 0; i < 4; ++i) {
    row[static_cast<size_t>(4 + i)] = static_cast<uint8_t>(1 + i);
    row[static_cast<size_t>(8 + i)] = static_cast<uint8_t>((33 + i) | 2 << 6);
    row[static_cast<size_t>(12 + i)] = static_cast<uint8_t>((5 + i) | ((37 + i) & 15) << 4);
  }
  const FormatSpec& f = format("q4_k");
  EXPECT_EQ(packed_lane(f, row, 64), (std::vector<uint8_t>{0x51, 0x62, 0x73, 0x84}));
  EXPECT_EQ(packed_lane(f, row, 128), (std::vector<uint8_t>{0x51, 0x62, 0x73, 0x84}));
  EXPECT_EQ(packed_lane(f, row, 192), (std::vector<uint8_t>{0xA0, 0xA0, 0xA0, 0xA0}));
}

TEST(PackedMatrix, LaysSixBitCodesOutAsNibblesAndBitPairs) {
  // Columns 0 … 127 of q6_k: code k mod 64. Block 1 is columns 32 … 63.
  std::vector<uint8_t> row(210);
  for (int k = 0; k < 128; ++k) {
    row[static_cast<size_t>(k % 64)] |= static_cast<uint8_t>((k & 15) << (k / 64 * 4));
    row[static_cast<size_t>(128 + k % 32)] |= static_cast<uint8_t>((k >> 4 & 3) << (k / 32 * 2));
  }
  const FormatSpec& f = format("q6_k");
  const int block_1 = 64 + 256 + 384;
  // Vector 2 of its nibbles: columns 32 + 8 … 11 low, 48 + 8 … 11 high.
  EXPECT_EQ(packed_lane(f, row, block_1 + 128), (std::vector<uint8_t>{0x88, 0x99, 0xAA, 0xBB}));
  // Bit pairs of its halves: codes 32 … 47 have 2 there, codes 48 … 63 have 3.
  EXPECT_EQ(packed_lane(f, row, block_1 + 256), std::vector<uint8_t>(4, 0xAA));
  EXPECT_EQ(packed_lane(f, row, block_1 + 320), std::vector<uint8_t>(4, 0xFF));
}

}  // namespace
}  // namespace kelda::quant
