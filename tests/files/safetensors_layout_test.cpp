#include "files/safetensors_layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/gguf_builder.h"

namespace kelda::safetensors {
namespace {

StoredTensor tensor(std::string name, uint64_t offset, uint64_t bytes) {
  StoredTensor t;
  t.name = std::move(name);
  t.offset = offset;
  t.bytes = bytes;
  return t;
}

std::string fault(std::string dtype, std::vector<int64_t> shape) {
  StoredTensor t;
  t.dtype = std::move(dtype);
  t.shape = std::move(shape);
  return set_tensor_bytes(t).value_or(std::to_string(t.bytes));
}

TEST(SafetensorsLayout, KnowsTheSizesOfAllDtypes) {
  const std::vector<std::pair<std::string, uint32_t>> all = {
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
      {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}};
  std::string names;
  for (const auto& [name, bits] : all) {
    EXPECT_EQ(dtype_bits(name), bits) << name;
    names += (names.empty() ? "" : ", ") + name;
  }
  EXPECT_EQ(known_dtypes(), names);
  EXPECT_EQ(dtype_bits("f32"), std::nullopt);
  EXPECT_EQ(dtype_bits(""), std::nullopt);
}

TEST(SafetensorsLayout, WorksOutTheBytesOfAShape) {
  EXPECT_EQ(fault("F32", {2, 3}), "24");
  EXPECT_EQ(fault("F64", {}), "8");
  EXPECT_EQ(fault("BF16", {5, 0, 7}), "0");
  EXPECT_EQ(fault("F4", {3, 2}), "3");
  EXPECT_EQ(fault("F6_E3M2", {4}), "3");
  EXPECT_EQ(fault("F4", {3, 0}), "0");
  EXPECT_EQ(fault("F4", {3}), "has 3 numbers of 4 bits, which do not fill whole bytes");
  EXPECT_EQ(fault("F6_E2M3", {2}), "has 2 numbers of 6 bits, which do not fill whole bytes");
}

TEST(SafetensorsLayout, RefusesSizesThatDoNotFit) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string product = "has dimensions whose product does not fit in 63 bits";
  EXPECT_EQ(fault("F4", {kMost}), "has a size in bits that does not fit in 64 bits");
  EXPECT_EQ(fault("U8", {kMost}), "has a size in bits that does not fit in 64 bits");
  EXPECT_EQ(fault("U8", {kMost / 4}), std::to_string(kMost / 4));
  EXPECT_EQ(fault("U8", {kMost, 2}), product);
  EXPECT_EQ(fault("U8", {kMost, kMost}), product);
  EXPECT_EQ(fault("U8", {kMost, 0, kMost}), product);
}

class Places : public ::testing::Test {
 protected:
  // The message that refuses the tensors in a file with data_bytes of data from byte 100; empty if none does.
  std::string refusal(const std::vector<StoredTensor>& tensors, uint64_t data_bytes) {
    malform::write_file(scratch_.path(), "", 100 + data_bytes);
    std::vector<uint32_t> name_at;
    for (uint32_t i = 0; i < tensors.size(); ++i) name_at.push_back(10 + i);
    try {
      check_tensors(File(scratch_.path()), 100, tensors, name_at);
      return "";
    } catch (const Error& e) {
      return std::string(e.what()).substr(scratch_.path().string().size() + 2);
    }
  }

 private:
  ScratchFile scratch_;
};

TEST_F(Places, AcceptTensorsThatFillTheDataInAnyOrder) {
  EXPECT_EQ(refusal({}, 0), "");
  EXPECT_EQ(refusal({tensor("b", 4, 2), tensor("a", 0, 4), tensor("c", 6, 1)}, 7), "");
  EXPECT_EQ(refusal({tensor("a", 0, 0), tensor("b", 0, 4), tensor("c", 4, 0), tensor("d", 4, 0)}, 4), "");
}

TEST_F(Places, RefuseGapsOverlapsAndNamesThatComeTwice) {
  EXPECT_EQ(refusal({tensor("a", 0, 4), tensor("b", 6, 2)}, 8),
            "byte 104: 2 bytes before tensor \"b\" belong to no tensor");
  EXPECT_EQ(refusal({tensor("b", 3, 5), tensor("a", 0, 4)}, 8),
            "byte 10: tensor \"b\" starts at offset 3, inside tensor \"a\"");
  EXPECT_EQ(refusal({tensor("a", 0, 4), tensor("b", 2, 0)}, 4),
            "byte 11: tensor \"b\" starts at offset 2, inside tensor \"a\"");
  EXPECT_EQ(refusal({tensor("a", 0, 4)}, 6), "byte 104: the last 2 bytes of the file belong to no tensor");
  EXPECT_EQ(refusal({tensor("a", 0, 4), tensor("b", 4, 1), tensor("a", 5, 1)}, 6),
            "byte 12: tensor \"a\" appears twice");
}

}  // namespace
}  // namespace kelda::safetensors
