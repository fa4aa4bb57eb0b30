#include "files/safetensors_index.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/safetensors_builder.h"

namespace kelda::safetensors {
namespace {

Index read(std::string_view text) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), text);
  return read_index(File(scratch.path()));
}

std::string refusal(std::string_view text) {
  try {
    read(text);
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    const std::string message = e.what();
    return message.substr(message.find(": ") + 2);
  }
}

TEST(SafetensorsIndex, GivesFilesAndTensorsInOrder) {
  const Index index =
      read(malform::index_of({{"c", "2.safetensors"}, {"a", "3.safetensors"}, {"b", "2.safetensors"}}));
  EXPECT_EQ(index.files, (std::vector<std::string>{"2.safetensors", "3.safetensors"}));
  ASSERT_EQ(index.entries.size(), 3U);
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<uint32_t> files = {1, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(index.entries[i].tensor, names[i]);
    EXPECT_EQ(index.entries[i].file, files[i]);
  }
}

TEST(SafetensorsIndex, PassesOverWhatIsNotTheMap) {
  const Index index = read(
      R"( {"metadata":{"total_size":1.5e9,"deep":[[{"weight_map":{"x":"y"}}],null]},"weight_map":{"a":"f.safetensors"},
          "more":"text", "and":-1, "list":[]} )");
  EXPECT_EQ(index.files, std::vector<std::string>{"f.safetensors"});
  ASSERT_EQ(index.entries.size(), 1U);
  EXPECT_EQ(index.entries[0].tensor, "a");
}

TEST(SafetensorsIndex, NamesTheByteOfTheFault) {
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"../f.safetensors"}})"),
            "byte 19: tensor \"a\": the file name \"../f.safetensors\" has a path in it; allowed are names "
            "of files "
            "beside the index");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"f.safetensors","a":"f.safetensors"}})"),
            "byte 35: tensor \"a\" appears twice in \"weight_map\"");
  EXPECT_EQ(refusal(R"({"metadata":{}})"), "byte 15: the index lacks \"weight_map\"");
  EXPECT_EQ(refusal("{}x"), "byte 2: the index is not valid JSON at the end of \"{}x\"");
}

TEST(SafetensorsIndex, RefusesEveryPrefix) {
  const std::string whole = malform::index_of({{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)), "") << "the first " << length << " bytes were accepted";
  }
  EXPECT_EQ(refusal(whole), "");
}

TEST(SafetensorsIndex, LimitsItsSize) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), "{}", kMaxIndexBytes + 1);
  EXPECT_THROW(read_index(File(scratch.path())), Error);
}

}  // namespace
}  // namespace kelda::safetensors
