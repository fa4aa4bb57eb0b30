#include "files/safetensors_header.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/safetensors_builder.h"

namespace kelda::safetensors {
namespace {

using malform::header_row;
using malform::safetensors_of;

Header read(std::string_view bytes) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), bytes);
  return read_header(File(scratch.path()));
}

std::string refusal(std::string_view bytes) {
  try {
    read(bytes);
    return "";
  } catch (const Error& e) {
    const std::string message = e.what();
    return message.substr(message.find(": ") + 2);
  }
}

TEST(SafetensorsHeader, GivesTensorsByNameWithTheirPlaceInTheFile) {
  const auto b = malform::small_safetensors();
  const uint64_t data = 8 + b.header().size();
  const Header h = read(b.bytes());
  ASSERT_EQ(h.tensors.size(), 4U);
  const std::vector<std::string> names = {"a", "b", "empty", "one"}, dtypes = {"F32", "BF16", "I64", "F16"};
  const std::vector<std::vector<int64_t>> shapes = {{2, 4}, {3}, {3, 0, 2}, {}};
  const std::vector<uint64_t> offsets = {0, 32, 38, 38}, bytes = {32, 6, 0, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(h.tensors[i].name, names[i]);
    EXPECT_EQ(h.tensors[i].dtype, dtypes[i]);
    EXPECT_EQ(h.tensors[i].shape, shapes[i]);
    EXPECT_EQ(h.tensors[i].offset, data + offsets[i]);
    EXPECT_EQ(h.tensors[i].bytes, bytes[i]);
    EXPECT_EQ(h.tensors[i].file, 0U);
  }
  EXPECT_EQ(h.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
}

TEST(SafetensorsHeader, TakesTheFieldsInAnyOrderAndTheTensorsInAnyPlace) {
  const Header h = read(safetensors_of(
      R"({"z":{"data_offsets":[1,2],"shape":[1],"dtype":"U8"},"y":{"shape":[],"dtype":"I8","data_offsets":[0,1]}})",
      "ab"));
  ASSERT_EQ(h.tensors.size(), 2U);
  EXPECT_EQ(h.tensors[0].name, "y");
  EXPECT_EQ(h.tensors[1].name, "z");
  EXPECT_EQ(h.tensors[1].offset, h.tensors[0].offset + 1);
}

TEST(SafetensorsHeader, ReadsEveryDtype) {
  for (const auto& [dtype, bytes] : std::vector<std::pair<std::string, int>>{
           {"BOOL", 8}, {"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F8_E4M3FNUZ", 8}, {"C64", 64}}) {
    const std::string end = std::to_string(bytes);
    const Header h = read(safetensors_of(std::string("{") + header_row("t", dtype, "2,4", "0," + end) + "}",
                                         std::string(static_cast<std::size_t>(bytes), 'x')));
    EXPECT_EQ(h.tensors[0].dtype, dtype);
    EXPECT_EQ(h.tensors[0].bytes, static_cast<uint64_t>(bytes));
  }
}

TEST(SafetensorsHeader, NamesTheByteOfTheFault) {
  const std::string row = header_row("a", "U8", "1", "0,1");
  EXPECT_EQ(refusal(safetensors_of("{" + row + "," + header_row("a", "U8", "1", "1,2") + "}", "xy")),
            fmt::format("byte {}: tensor \"a\" appears twice", 8 + 2 + row.size()));
  EXPECT_EQ(
      refusal(safetensors_of(std::string("{") + header_row("a", "U8", "-1", "0,1") + "}", "x")),
      "byte 36: tensor \"a\" has a negative number in its \"shape\"; whole numbers from 0 to 2^63 - 1 are "
      "required");
  EXPECT_EQ(
      refusal(safetensors_of(std::string("{") + header_row("a", "Q4", "1", "0,1") + "}", "x")).substr(0, 44),
      "byte 14: tensor \"a\" is of dtype \"Q4\"; the fo");
}

TEST(SafetensorsHeader, RefusesADtypeOfANewerFormatAsUnsupported) {
  try {
    read(safetensors_of(std::string("{") + header_row("a", "F3", "8", "0,3") + "}", "xyz"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
  }
}

TEST(SafetensorsHeader, RefusesEveryPrefix) {
  const std::string whole = malform::small_safetensors().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)), "") << "the first " << length << " bytes were accepted";
  }
  EXPECT_EQ(refusal(whole), "");
}

TEST(SafetensorsHeader, TakesHeadersUpToTheLimitOfTheFormat) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), safetensors_of("{}" + std::string(kMaxHeaderBytes - 2, ' ')));
  EXPECT_EQ(read_header(File(scratch.path())).tensors.size(), 0U);
}

}  // namespace
}  // namespace kelda::safetensors
