#include "text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace kelda::text {
namespace {

TEST(ByteAlphabet, HasTheCharactersOfGpt2) {
  const auto& all = byte_characters();
  EXPECT_EQ(all['A'], "A");
  EXPECT_EQ(all[' '], "Ġ");
  EXPECT_EQ(all['\n'], "Ċ");
  EXPECT_EQ(all[0], "Ā");
  EXPECT_EQ(all[0x7F], "ġ");
  EXPECT_EQ(all[0xA0], "ł");
  EXPECT_EQ(all[0xAD], "Ń");
  EXPECT_EQ(all[0xFF], "ÿ");
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 256u);
}

TEST(ByteAlphabet, PiecesGoBackToTheirBytes) {
  std::string piece, bytes;
  for (std::size_t b = 0; b < 256; ++b) {
    piece += byte_characters()[b];
    bytes.push_back(static_cast<char>(b));
  }
  EXPECT_EQ(bytes_of_piece(piece), bytes);
  EXPECT_EQ(bytes_of_piece("Ġthe"), " the");
  EXPECT_EQ(bytes_of_piece(""), "");
}

TEST(ByteAlphabet, OtherCharactersStandForNoByte) {
  for (const char* piece : {" ", "a b", "中", "\xC2\xAD", "\x80", "ab\xC3"})
    EXPECT_FALSE(bytes_of_piece(piece)) << piece;
  EXPECT_EQ(bytes_of_piece("\xC5\x83"), "\xAD");  // U+0143, the last one
  EXPECT_FALSE(bytes_of_piece("\xC5\x84"));       // U+0144, the first one beyond
}

TEST(ByteAlphabet, ReadsBytesWrittenInHexadecimal) {
  EXPECT_EQ(byte_of_piece("<0x0A>"), '\n');
  EXPECT_EQ(byte_of_piece("<0xff>"), '\xFF');
  for (const char* piece : {"<0xZZ>", "<0x-1>", "<0x+1>", "<0x1>", "<0x001>", "0x0A", "<0x0A", ""})
    EXPECT_FALSE(byte_of_piece(piece)) << piece;
}

}  // namespace
}  // namespace kelda::text
