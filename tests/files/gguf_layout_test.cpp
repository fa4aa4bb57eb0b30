#include "files/gguf_layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/error.h"

namespace kelda::gguf {
namespace {

TEST(GgmlTypeName, GivesEachIdItsOwnName) {
  EXPECT_EQ(ggml_type_name(0), "F32");
  EXPECT_EQ(ggml_type_name(2), "Q4_0");
  EXPECT_EQ(ggml_type_name(12), "Q4_K");
  EXPECT_EQ(ggml_type_name(16), "IQ2_XXS");
  EXPECT_EQ(ggml_type_name(23), "IQ4_XS");
  EXPECT_EQ(ggml_type_name(28), "F64");
  EXPECT_EQ(ggml_type_name(30), "BF16");
  EXPECT_EQ(ggml_type_name(39), "MXFP4");
  EXPECT_EQ(ggml_type_name(1000), "");
  std::set<std::string_view> names;
  for (uint32_t id = 0; !ggml_type_name(id).empty(); ++id)
    EXPECT_TRUE(names.insert(ggml_type_name(id)).second) << id;
}

TEST(GgmlTypeName, AgreesWithTheFormatsOfThisBuild) {
  for (const quant::FormatSpec* f : quant::formats()) {
    std::string lower(ggml_type_name(f->gguf_type));
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(lower, f->name);
    EXPECT_NE(known_formats().find(fmt::format("{} ({})", f->name, f->gguf_type)), std::string::npos);
  }
}

TEST(NameFault, SeesControlCharactersOfEachKind) {
  for (const std::string_view bad : {"a\x1B", "\n", "a\x7F", "a\xC2\x80z", "\xC2\x9B", "\xC2\x9F"}) {
    const auto fault = name_fault(bad, 64);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("contains a control character"), std::string::npos) << *fault;
  }
  for (const std::string_view fine :
       {"blk.0.attn_q.weight", "~", "\xC2\xA0", "\xC3\x9F", "\xE1\x9B\x80", "名"})
    EXPECT_EQ(name_fault(fine, 64), std::nullopt) << fine;
}

TEST(AlignUp, RoundsUpAndSeesTheEndOfTheRange) {
  EXPECT_EQ(align_up(0, 32), 0U);
  EXPECT_EQ(align_up(1, 32), 32U);
  EXPECT_EQ(align_up(32, 32), 32U);
  EXPECT_EQ(align_up(33, 8), 40U);
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(align_up(most - 31, 32), most - 31);
  EXPECT_EQ(align_up(most - 30, 32), std::nullopt);
}

TEST(SetTensorBytes, CountsWholeBlocksOfEachFormat) {
  for (const quant::FormatSpec* f : quant::formats()) {
    TensorInfo t;
    t.format = f;
    t.shape = {3, 2, 512};
    EXPECT_EQ(set_tensor_bytes(t), std::nullopt) << f->name;
    EXPECT_EQ(t.bytes,
              6U * 512U / static_cast<unsigned>(f->block_size) * static_cast<unsigned>(f->block_bytes));
  }
}

// BR-076
TEST(SetTensorBytes, RefusesShapesThatCannotBe) {
  const int64_t big = int64_t{1} << 32;
  for (const auto& shape :
       std::vector<std::vector<int64_t>>{{}, {1, 1, 1, 1, 1}, {0}, {-1, -1}, {big, big}, {3, 31}}) {
    TensorInfo t;
    t.format = quant::find_format("q8_0");
    t.shape = shape;
    EXPECT_NE(set_tensor_bytes(t), std::nullopt);
  }
}

// BR-079
TEST(AlignmentOf, IsTheKeyOrThirtyTwo) {
  Metadata m;
  EXPECT_EQ(alignment_of(m), 32U);
  m.set(kAlignmentKey, uint32_t{4096});
  EXPECT_EQ(alignment_of(m), 4096U);
  m.set(kAlignmentKey, uint32_t{12});
  EXPECT_THROW(alignment_of(m), Error);
}

}  // namespace
}  // namespace kelda::gguf
