#include "files/gguf_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "files/gguf_split.h"
#include "files/gguf_writer.h"
#include "files/scratch_file.h"
#include "malform/tiny_llama.h"

namespace kelda::gguf {
namespace {

TEST(GgufParts, TakesPartNamesApart) {
  const auto name = parse_part_name("my-model-q4_0-00002-of-00003.gguf");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->set, "my-model-q4_0");
  EXPECT_EQ(name->no, 1U);
  EXPECT_EQ(name->count, 3U);
  EXPECT_EQ(part_name(name->set, name->no, name->count), "my-model-q4_0-00002-of-00003.gguf");
  EXPECT_EQ(parse_part_name("-00001-of-00001.gguf")->set, "");
  EXPECT_EQ(parse_part_name("a-99999-of-99999.gguf")->no, 99998U);
  for (const char* other :
       {"", ".gguf", "a.gguf", "a-00002-of-00003", "a-00002-of-00003.bin", "a-0002-of-0003.gguf",
        "a-00000-of-00003.gguf", "a-00004-of-00003.gguf", "a-00002_of_00003.gguf", "a-0000x-of-00003.gguf",
        "a-00002-of-0000x.gguf", "a00002-of-00003.gguf", "00002-of-00003.gguf", "a-00002-of-00003.GGUF",
        "a-+0002-of-00003.gguf"}) {
    EXPECT_FALSE(parse_part_name(other).has_value()) << other;
  }
}

TEST(GgufParts, TheFirstPartAndWholeFilesAreNoLaterParts) {
  EXPECT_TRUE(is_later_part("a-00002-of-00003.gguf"));
  EXPECT_FALSE(is_later_part("a-00001-of-00003.gguf"));
  EXPECT_FALSE(is_later_part("mixture-of-experts-q4.gguf"));
}

TEST(GgufParts, TheDataBeginsAtTheFirstTensor) {
  const ScratchFile whole;
  malform::write_file(whole.path(), malform::make_tiny_llama().bytes());
  uint64_t first = std::filesystem::file_size(whole.path());
  const auto file = open_gguf(whole.path());
  for (const TensorInfo& tensor : file->tensors()) first = std::min(first, tensor.offset);
  EXPECT_EQ(data_begin(whole.path()), first);
}

TEST(GgufParts, APartIsReadWithoutTheOthers) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / part_name("m", 0, 2);
  Metadata metadata;
  metadata.add(std::string(kSplitNo), uint16_t{0});
  metadata.add(std::string(kSplitCount), uint16_t{2});
  metadata.add(std::string(kSplitTensors), int32_t{5});
  write_gguf(path, metadata, {}, {});
  EXPECT_THROW(open_gguf(path), Error);
  EXPECT_EQ(data_begin(path), std::filesystem::file_size(path)) << "no tensors: the whole file is head";
}

}  // namespace
}  // namespace kelda::gguf
