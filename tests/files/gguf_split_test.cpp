#include "files/gguf_split.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/gguf_writer.h"
#include "files/scratch_file.h"
#include "malform/tiny_llama.h"
#include "test_model.h"

namespace kelda::gguf {
namespace {

namespace fs = std::filesystem;

// Writes the model as a set of `count` parts with GgufWriter: the tensors in their order, the first part with
// the metadata and, as tools can do it, none of them.
void write_set(const ModelFile& model, const fs::path& folder, std::string_view set, uint32_t count,
               bool first_has_tensors) {
  const auto n = static_cast<uint32_t>(model.tensors().size());
  const uint32_t n_full = first_has_tensors ? count : count - 1;
  uint32_t begin = 0;
  for (uint32_t no = 0; no < count; ++no) {
    Metadata metadata = no == 0 ? model.metadata() : Metadata();
    metadata.add(std::string(kSplitNo), static_cast<uint16_t>(no));
    metadata.add(std::string(kSplitCount), static_cast<uint16_t>(count));
    metadata.add(std::string(kSplitTensors), static_cast<int32_t>(n));
    const uint32_t end = n * (no + 1 - (count - n_full)) / n_full;
    const std::vector<TensorInfo> tensors(model.tensors().begin() + begin, model.tensors().begin() + end);
    write_gguf(folder / part_name(set, no, count), metadata, tensors,
               [&](std::size_t i, uint64_t first, std::span<std::byte> out) {
                 model.read(model.tensors()[begin + i], first, out);
               });
    begin = end;
  }
  ASSERT_EQ(begin, n);
}

// The same tensors with the same bytes.
void expect_same_tensors(const ModelFile& set, const ModelFile& whole) {
  ASSERT_EQ(set.tensors().size(), whole.tensors().size());
  for (std::size_t i = 0; i < whole.tensors().size(); ++i) {
    const TensorInfo& a = set.tensors()[i];
    const TensorInfo& b = whole.tensors()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.format, b.format);
    EXPECT_EQ(set.find(b.name), &a);
    ASSERT_EQ(a.bytes, b.bytes);
    std::vector<std::byte> of_set(a.bytes), of_whole(b.bytes);
    set.read(a, 0, of_set);
    whole.read(b, 0, of_whole);
    EXPECT_EQ(of_set, of_whole) << a.name;
  }
}

// BR-074 (the last part has an output.weight of its own) and BR-080
TEST(GgufSplit, ASetReadsAsTheWholeFileByAnyOfItsParts) {
  const ScratchFile whole_path;
  malform::write_file(whole_path.path(), malform::make_tiny_llama({.tied = false}).bytes());
  const auto whole = open_gguf(whole_path.path());
  for (const uint32_t count : {2u, 3u, 7u}) {
    for (const bool first_has_tensors : {true, false}) {
      const ScratchFolder folder;
      write_set(*whole, folder.path(), "tiny", count, first_has_tensors);
      uint64_t bytes = 0;
      for (const auto& part : fs::directory_iterator(folder.path())) bytes += part.file_size();
      for (uint32_t no = 0; no < count; ++no) {
        const auto set = open_gguf(folder.path() / part_name("tiny", no, count));
        EXPECT_EQ(set->container(), fmt::format("GGUF v3 in {} files", count));
        EXPECT_EQ(set->path(), folder.path() / part_name("tiny", 0, count));
        EXPECT_EQ(set->file_bytes(), bytes);
        EXPECT_EQ(set->metadata().text("general.name"), "tiny llama");
        EXPECT_EQ(set->metadata().items().size(), whole->metadata().items().size() + 3);
        expect_same_tensors(*set, *whole);
        EXPECT_EQ(set->tensors().front().file, first_has_tensors ? 0U : 1U);
        EXPECT_EQ(set->tensors().back().file, count - 1);
        EXPECT_EQ(set->find("output.weight")->file, count - 1);
      }
    }
  }
}

TEST(GgufSplit, ASetWrittenAgainIsOneFile) {
  const ScratchFile whole_path, again;
  malform::write_file(whole_path.path(), malform::make_tiny_llama().bytes());
  const auto whole = open_gguf(whole_path.path());
  const ScratchFolder folder;
  write_set(*whole, folder.path(), "tiny", 3, true);
  const auto set = open_gguf(folder.path() / part_name("tiny", 0, 3));
  write_gguf(again.path(), whole->metadata(), set->tensors(),
             [&](std::size_t i, uint64_t first, std::span<std::byte> out) {
               set->read(set->tensors()[i], first, out);
             });
  const auto merged = open_gguf(again.path());
  expect_same_tensors(*merged, *whole);
  EXPECT_EQ(merged->tensors().back().file, 0U);
  EXPECT_EQ(merged->container(), "GGUF v3");
}

TEST(GgufSplit, AMissingPartIsNamed) {
  const ScratchFile whole_path;
  malform::write_file(whole_path.path(), malform::make_tiny_llama().bytes());
  const auto whole = open_gguf(whole_path.path());
  for (uint32_t missing = 0; missing < 3; ++missing) {
    const ScratchFolder folder;
    write_set(*whole, folder.path(), "tiny", 3, true);
    fs::remove(folder.path() / part_name("tiny", missing, 3));
    const std::string asked = part_name("tiny", (missing + 1) % 3, 3);
    try {
      open_gguf(folder.path() / asked);
      ADD_FAILURE() << missing;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kNotFound);
      EXPECT_EQ(std::string(e.what()),
                fmt::format("{}: no such file; it is part {} of the set that {} belongs to",
                            (folder.path() / part_name("tiny", missing, 3)).string(), missing + 1, asked));
    }
  }
}

TEST(GgufSplit, AWholeFileOpensUnderAnyName) {
  const ScratchFolder folder;
  const auto bytes = malform::make_tiny_llama().bytes();
  for (const char* name : {"a-00002-of-00003.gguf", "a-00001-of-00001.gguf", "a"}) {
    malform::write_file(folder.path() / name, bytes);
    EXPECT_EQ(open_gguf(folder.path() / name)->container(), "GGUF v3") << name;
  }
}

TEST(GgufSplit, ANameThatSaysPartAndKeysThatSayWholeContradictEachOther) {
  const ScratchFile whole_path;
  malform::write_file(whole_path.path(), malform::make_tiny_llama().bytes());
  const auto whole = open_gguf(whole_path.path());
  for (const uint16_t count : {uint16_t{0}, uint16_t{1}}) {
    const ScratchFolder folder;
    Metadata metadata = whole->metadata();
    metadata.add(std::string(kSplitCount), count);
    metadata.add(std::string(kSplitTensors), static_cast<int32_t>(whole->tensors().size()));
    const fs::path path = folder.path() / "a-00001-of-00004.gguf";
    write_gguf(path, metadata, whole->tensors(),
               [&](std::size_t i, uint64_t first, std::span<std::byte> out) {
                 whole->read(whole->tensors()[i], first, out);
               });
    try {
      open_gguf(path);
      ADD_FAILURE() << count;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(
                    fmt::format("name says part 1 of 4, but metadata key \"split.count\" is {}", count)),
                std::string::npos)
          << e.what();
    }
  }
}

TEST(GgufSplit, SplitsARealModel) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  const auto whole = open_gguf(*path);
  const ScratchFolder folder;
  write_set(*whole, folder.path(), "real", 4, true);
  expect_same_tensors(*open_gguf(folder.path() / part_name("real", 3, 4)), *whole);
}

}  // namespace
}  // namespace kelda::gguf
