#include "files/foreign_format.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(ForeignFormat, IsNamedByItsFirstFourBytes) {
  EXPECT_EQ(foreign_format("GGUF"), "a GGUF file");
  EXPECT_EQ(foreign_format("PK\x03\x04"), "a zip archive, as PyTorch checkpoints are");
  EXPECT_EQ(foreign_format("FUGG"), "GGUF with reversed byte order");
}

TEST(ForeignFormat, OtherBytesAreOfNone) {
  for (const std::string_view start : {"", "GGU", "GGUF2", "PK\x05\x06", "abcd"})
    EXPECT_EQ(foreign_format(start), "") << start;
}

}  // namespace
}  // namespace kelda
