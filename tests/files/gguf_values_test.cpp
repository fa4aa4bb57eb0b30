#include "files/gguf_values.h"

#include <gtest/gtest.h>

#include <limits>

#include "files/scratch_file.h"
#include "malform/gguf_builder.h"

namespace kelda::gguf {
namespace {

using malform::array;
using malform::scalar;

// Each type once as the value and as the bytes that the format's description gives it.
std::vector<std::pair<MetadataValue, std::string>> every_type() {
  return {
      {uint8_t{200}, scalar(uint8_t{200})},
      {int8_t{-100}, scalar(int8_t{-100})},
      {uint16_t{60000}, scalar(uint16_t{60000})},
      {int16_t{-30000}, scalar(int16_t{-30000})},
      {uint32_t{4000000000}, scalar(uint32_t{4000000000})},
      {int32_t{-5}, scalar(int32_t{-5})},
      {-0.0f, scalar(-0.0f)},
      {true, scalar(true)},
      {std::string("naïve\0end", 10), scalar(std::string("naïve\0end", 10))},
      {std::numeric_limits<uint64_t>::max(), scalar(std::numeric_limits<uint64_t>::max())},
      {std::numeric_limits<int64_t>::min(), scalar(std::numeric_limits<int64_t>::min())},
      {1e-300, scalar(1e-300)},
      {std::vector<uint8_t>{1, 2}, array<uint8_t>({1, 2})},
      {std::vector<int8_t>{-1}, array<int8_t>({-1})},
      {std::vector<uint16_t>{1, 65535}, array<uint16_t>({1, 65535})},
      {std::vector<int16_t>{-1, 1}, array<int16_t>({-1, 1})},
      {std::vector<uint32_t>{7}, array<uint32_t>({7})},
      {std::vector<int32_t>{-7, 8, 9}, array<int32_t>({-7, 8, 9})},
      {std::vector<float>{1.5f}, array<float>({1.5f})},
      {std::vector<bool>{true, false, true}, array<bool>({true, false, true})},
      {std::vector<std::string>{"a", "", "ccc"}, array<std::string>({"a", "", "ccc"})},
      {std::vector<uint64_t>{1}, array<uint64_t>({1})},
      {std::vector<int64_t>{-1}, array<int64_t>({-1})},
      {std::vector<double>{0.1, 0.2}, array<double>({0.1, 0.2})},
      {std::vector<double>{}, array<double>({})},
      {std::vector<std::string>{}, array<std::string>({})},
  };
}

TEST(GgufValues, EveryTypeIsWrittenAsTheFormatSays) {
  for (const auto& [value, bytes] : every_type()) {
    std::string out = "x";
    append_value(out, value);
    EXPECT_EQ(out, "x" + bytes) << value.type_name();
  }
}

TEST(GgufValues, EveryTypeIsReadBack) {
  for (const auto& [value, bytes] : every_type()) {
    const ScratchFile scratch;
    malform::write_file(scratch.path(), bytes);
    const File file(scratch.path());
    Cursor in(file);
    EXPECT_EQ(read_value(in).variant(), value.variant()) << value.type_name();
    EXPECT_EQ(in.left(), 0U) << value.type_name();
  }
}

TEST(GgufValues, EveryCutOfEveryTypeIsRefused) {
  for (const auto& [value, bytes] : every_type()) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const ScratchFile scratch;
      malform::write_file(scratch.path(), bytes.substr(0, length));
      const File file(scratch.path());
      Cursor in(file);
      EXPECT_THROW(read_value(in), Error) << value.type_name() << " cut at " << length;
    }
  }
}

TEST(GgufValues, WhatTheReaderWouldRefuseIsNotWritten) {
  std::string out;
  EXPECT_THROW(append_value(out, std::string((std::size_t{16} << 20) + 1, 'x')), Error);
  EXPECT_THROW(append_value(out, std::vector<uint8_t>((std::size_t{1} << 22) + 1)), Error);
}

}  // namespace
}  // namespace kelda::gguf
