#include "files/gguf_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "files/scratch_file.h"
#include "malform/small_file.h"
#include "malform/tiny_llama.h"
#include "test_model.h"

namespace kelda {
namespace {

using malform::GgufBuilder;
using malform::write_file;

std::string slurp(const std::filesystem::path& path) { return read_text(path, uint64_t{1} << 24); }

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string tensor_data(const ModelFile& file, const TensorInfo& t) {
  std::string data(t.bytes, '\0');
  file.read(t, 0, std::as_writable_bytes(std::span(data.data(), data.size())));
  return data;
}

TensorInfo tensor(std::string name, std::vector<int64_t> shape, std::string_view format) {
  TensorInfo t;
  t.name = std::move(name);
  t.shape = std::move(shape);
  t.format = quant::find_format(format);
  return t;
}

void copy(const ModelFile& from, const Metadata& metadata, const std::filesystem::path& to) {
  write_gguf(to, metadata, from.tensors(), [&](std::size_t i, uint64_t first, std::span<std::byte> out) {
    from.read(from.tensors()[i], first, out);
  });
}

Metadata every_type() {
  Metadata m;
  m.add("u8", uint8_t{255});
  m.add("i8", int8_t{-128});
  m.add("u16", uint16_t{65535});
  m.add("i16", int16_t{-32768});
  m.add("u32", uint32_t{4294967295u});
  m.add("i32", std::numeric_limits<int32_t>::min());
  m.add("f32", std::numeric_limits<float>::denorm_min());
  m.add("bool", true);
  m.add("string", std::string("a\0b\xFF", 4));
  m.add("u64", std::numeric_limits<uint64_t>::max());
  m.add("i64", std::numeric_limits<int64_t>::min());
  m.add("f64", -1e308);
  m.add("a.u8", std::vector<uint8_t>{0, 255});
  m.add("a.i8", std::vector<int8_t>{-128, 127});
  m.add("a.u16", std::vector<uint16_t>{65535});
  m.add("a.i16", std::vector<int16_t>{-32768});
  m.add("a.u32", std::vector<uint32_t>{1, 2, 3});
  m.add("a.i32", std::vector<int32_t>{-1});
  m.add("a.f32", std::vector<float>{0.1f, -0.0f});
  m.add("a.bool", std::vector<bool>{true, false, false, true});
  m.add("a.string", std::vector<std::string>{"", "Ġthe", "x"});
  m.add("a.u64", std::vector<uint64_t>{std::numeric_limits<uint64_t>::max()});
  m.add("a.i64", std::vector<int64_t>{-1});
  m.add("a.f64", std::vector<double>{0.1});
  m.add("a.empty", std::vector<float>{});
  return m;
}

TEST(GgufWriter, EveryMetadataTypeAndFormatSurvives) {
  const ScratchFile scratch;
  const Metadata metadata = every_type();
  std::vector<TensorInfo> tensors;
  std::vector<std::string> data;
  for (const quant::FormatSpec* f : quant::formats()) {
    tensors.push_back(tensor("t." + std::string(f->name), {3, 256}, f->name));
    data.emplace_back(3 * 256 / static_cast<unsigned>(f->block_size) * static_cast<unsigned>(f->block_bytes),
                      static_cast<char>('A' + data.size()));
  }
  GgufWriter writer(scratch.path(), metadata, tensors);
  for (const std::string& d : data) writer.append(bytes_of(d));
  writer.commit();

  const auto file = open_gguf(scratch.path());
  EXPECT_EQ(file->container(), "GGUF v3");
  ASSERT_EQ(file->metadata().items().size(), metadata.items().size());
  for (std::size_t i = 0; i < metadata.items().size(); ++i) {
    EXPECT_EQ(file->metadata().items()[i].first, metadata.items()[i].first);
    EXPECT_EQ(file->metadata().items()[i].second.variant(), metadata.items()[i].second.variant());
  }
  ASSERT_EQ(file->tensors().size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& t = file->tensors()[i];
    EXPECT_EQ(t.name, tensors[i].name);
    EXPECT_EQ(t.shape, tensors[i].shape);
    EXPECT_EQ(t.format, tensors[i].format);
    EXPECT_EQ(t.offset, writer.tensors()[i].offset);
    EXPECT_EQ(t.bytes, writer.tensors()[i].bytes);
    EXPECT_EQ(tensor_data(*file, t), data[i]);
  }
}

// BR-083
TEST(GgufWriter, AFileReadAndWrittenAgainIsTheSameBytes) {
  for (const uint32_t alignment : {8u, 16u, 32u, 64u, 4096u}) {
    const ScratchFile first, second;
    GgufBuilder b = malform::make_tiny_llama({.format = "q4_0", .tied = false});
    b.add("unknown.to.everyone", malform::array<std::string>({"kept"}));
    if (alignment != 32) b.add("general.alignment", malform::scalar(alignment));
    b.alignment = alignment;
    write_file(first.path(), b.bytes());
    const auto file = open_gguf(first.path());
    copy(*file, file->metadata(), second.path());
    EXPECT_TRUE(slurp(second.path()) == slurp(first.path())) << "alignment " << alignment;
  }
}

TEST(GgufWriter, ANewKeyMovesTheDataAndChangesNoneOfIt) {
  const ScratchFile first, second;
  GgufBuilder b = malform::small_file();
  b.version = 2;
  b.pad_last = false;
  write_file(first.path(), b.bytes());
  const auto before = open_gguf(first.path());
  Metadata metadata = before->metadata();
  metadata.set("general.name", std::string(100, 'n'));
  copy(*before, metadata, second.path());
  const auto after = open_gguf(second.path());
  EXPECT_EQ(after->metadata().items().size(), 4U);
  EXPECT_NE(after->find("a")->offset, before->find("a")->offset);
  for (const TensorInfo& t : before->tensors()) {
    EXPECT_EQ(tensor_data(*after, *after->find(t.name)), tensor_data(*before, t)) << t.name;
  }
}

TEST(GgufWriter, TakesDataInPiecesOfAnySize) {
  const ScratchFile scratch;
  std::string data;
  for (int i = 0; i < 24; ++i) data += malform::raw(static_cast<float>(i));
  for (const std::size_t piece : {1, 3, 7, 16, 50, 96}) {
    GgufWriter writer(scratch.path(), {}, {tensor("x", {10}, "f32"), tensor("y", {14}, "f32")});
    for (std::size_t at = 0; at < data.size(); at += piece)
      writer.append(bytes_of(data).subspan(at, std::min(piece, data.size() - at)));
    writer.commit();
    const auto file = open_gguf(scratch.path());
    EXPECT_EQ(tensor_data(*file, *file->find("x")) + tensor_data(*file, *file->find("y")), data) << piece;
  }
}

TEST(GgufWriter, WritesFilesWithoutTensorsOrMetadata) {
  const ScratchFile scratch;
  GgufWriter(scratch.path(), {}, {}).commit();
  const auto file = open_gguf(scratch.path());
  EXPECT_TRUE(file->tensors().empty());
  EXPECT_TRUE(file->metadata().items().empty());
}

TEST(GgufWriter, LeavesTheOldFileUntilTheNewOneIsWhole) {
  const ScratchFile scratch;
  write_file(scratch.path(), "old");
  {
    GgufWriter writer(scratch.path(), {}, {tensor("x", {2}, "f32")});
    writer.append(bytes_of(malform::raw(1.0f)));
    try {
      writer.commit();
      FAIL() << "half a tensor was committed";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInternal);
      EXPECT_NE(std::string(e.what()).find("4 of 8 bytes"), std::string::npos) << e.what();
    }
  }
  EXPECT_EQ(slurp(scratch.path()), "old");
  int left = 0;
  const std::string stem = scratch.path().filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path().parent_path())) {
    left += entry.path().filename().string().rfind(stem, 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(left, 1);
}

TEST(GgufWriter, RefusesWhatTheReaderWouldRefuse) {
  const ScratchFile scratch;
  const auto refuses = [&](const Metadata& m, std::vector<TensorInfo> t, std::string_view message) {
    try {
      const GgufWriter writer(scratch.path(), m, std::move(t));
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadInput);
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  };
  const auto one = [](const char* key, MetadataValue value) {
    Metadata m;
    m.add(key, std::move(value));
    return m;
  };
  refuses(one("", true), {}, "the metadata key is empty");
  refuses(one("\xFF", true), {}, "is not valid UTF-8");
  refuses(one("general.alignment", uint32_t{3}), {}, "\"general.alignment\" is 3");
  refuses(one("general.alignment", uint64_t{32}), {}, "is of type u64");
  refuses({}, {tensor("", {1}, "f32")}, "the tensor name is empty");
  refuses({}, {tensor(std::string(65, 'n'), {1}, "f32")}, "65 bytes long");
  refuses({}, {tensor("x", {1}, "f32"), tensor("x", {1}, "f32")}, "tensor \"x\" appears twice");
  refuses({}, {tensor("x", {}, "f32")}, "has 0 dimensions");
  refuses({}, {tensor("x", {1, 1, 1, 1, 1}, "f32")}, "has 5 dimensions");
  refuses({}, {tensor("x", {0}, "f32")}, "a dimension of 0");
  refuses({}, {tensor("x", {2, 16}, "q4_0")}, "rows of 16 columns");
  refuses({}, {tensor("x", {int64_t{1} << 60}, "f32"), tensor("y", {int64_t{1} << 60}, "f32")},
          "ends beyond 63 bits");
  EXPECT_FALSE(std::filesystem::exists(scratch.path()));
}

TEST(GgufWriter, ARealModelReadAndWrittenAgainIsTheSameBytes) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  const auto file = open_gguf(*path);
  const ScratchFile scratch;
  copy(*file, file->metadata(), scratch.path());
  const auto again = open_gguf(scratch.path());
  ASSERT_EQ(again->tensors().size(), file->tensors().size());
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    ASSERT_TRUE(tensor_data(*again, again->tensors()[i]) == tensor_data(*file, file->tensors()[i]))
        << file->tensors()[i].name;
  }
}

}  // namespace
}  // namespace kelda
