#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "files/model_file.h"
#include "files/scratch_file.h"
#include "malform/small_file.h"
#include "malform/tiny_llama.h"
#include "test_model.h"

namespace kelda {
namespace {

using malform::array;
using malform::GgufBuilder;
using malform::raw;
using malform::scalar;
using malform::write_file;

std::string read_all(const ModelFile& file, const TensorInfo& t) {
  std::string data(t.bytes, '\0');
  file.read(t, 0, std::as_writable_bytes(std::span(data.data(), data.size())));
  return data;
}

// Overwrites one byte of a file in place.
void poke(const std::filesystem::path& path, std::size_t at, char byte) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out.put(byte);
}

// What may be asked of any file that opened: nothing here may read out of bounds.
void use(const ModelFile& file) {
  for (const auto& [key, value] : file.metadata().items()) {
    ASSERT_EQ(file.metadata().find(key), &value);
    ASSERT_FALSE(value.display(3).empty());
  }
  for (const TensorInfo& t : file.tensors()) {
    ASSERT_EQ(file.find(t.name), &t);
    ASSERT_NE(t.format, nullptr);
    ASSERT_LE(t.offset, file.file_bytes());
    ASSERT_LE(t.bytes, file.file_bytes() - t.offset);
    ASSERT_EQ(read_all(file, t).size(), t.bytes);
  }
}

TEST(GgufReader, ReadsMetadataAndTensorsOfBothVersions) {
  for (const uint32_t version : {2u, 3u}) {
    const ScratchFile scratch;
    GgufBuilder b = malform::small_file();
    b.version = version;
    write_file(scratch.path(), b.bytes());
    const auto file = open_gguf(scratch.path());
    EXPECT_EQ(file->container(), version == 2 ? "GGUF v2" : "GGUF v3");
    EXPECT_EQ(file->path(), scratch.path());
    EXPECT_EQ(file->file_bytes(), b.bytes().size());
    ASSERT_EQ(file->metadata().items().size(), 3U);
    EXPECT_EQ(file->metadata().text("general.architecture"), "none");
    EXPECT_EQ(file->metadata().integer("test.number", 0, 9), 7);
    EXPECT_EQ(*file->metadata().strings("test.list"), (std::vector<std::string>{"one", "two"}));
    ASSERT_EQ(file->tensors().size(), 2U);
    const TensorInfo* a = file->find("a");
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(a->shape, (std::vector<int64_t>{2, 4}));  // row-major; the file says 4, 2
    EXPECT_EQ(a->format, quant::find_format("f32"));
    EXPECT_EQ(a->bytes, 32U);
    EXPECT_EQ(read_all(*file, *a), b.tensor("a").data);
    const TensorInfo* q = file->find("b");
    ASSERT_NE(q, nullptr);
    EXPECT_EQ(q->format, quant::find_format("q4_0"));
    EXPECT_EQ(read_all(*file, *q), b.tensor("b").data);
    EXPECT_EQ(file->find("c"), nullptr);
    EXPECT_EQ(file->find(""), nullptr);
  }
}

TEST(GgufReader, ReadsPartsOfATensor) {
  const ScratchFile scratch;
  const GgufBuilder b = malform::small_file();
  write_file(scratch.path(), b.bytes());
  const auto file = open_gguf(scratch.path());
  std::string part(5, '\0');
  file->read(*file->find("a"), 27, std::as_writable_bytes(std::span(part.data(), part.size())));
  EXPECT_EQ(part, b.tensors[0].data.substr(27));
}

// BR-079
TEST(GgufReader, PlacesTensorsByTheFilesAlignment) {
  for (const uint32_t alignment : {8u, 16u, 64u, 4096u}) {
    for (const bool pad_last : {true, false}) {
      const ScratchFile scratch;
      GgufBuilder b;
      b.alignment = alignment;
      b.pad_last = pad_last;
      b.add("general.alignment", scalar(alignment));
      for (const char* name : {"x", "y", "z"}) {
        b.tensors.push_back({name, {4}, malform::kF32, std::string(16, *name)});
      }
      write_file(scratch.path(), b.bytes());
      const auto file = open_gguf(scratch.path());
      for (const char* name : {"x", "y", "z"}) {
        EXPECT_EQ(file->find(name)->offset % alignment, 0U);
        EXPECT_EQ(read_all(*file, *file->find(name)), std::string(16, *name)) << alignment;
      }
    }
  }
}

TEST(GgufReader, FindsEachOfManyTensors) {
  const ScratchFile scratch;
  GgufBuilder b;
  for (int i = 0; i < 3000; ++i) {
    b.tensors.push_back(
        {fmt::format("t{}", i * 7919 % 3000), {1}, malform::kF32, raw(static_cast<float>(i))});
  }
  write_file(scratch.path(), b.bytes());
  const auto file = open_gguf(scratch.path());
  for (const auto& t : b.tensors) {
    ASSERT_NE(file->find(t.name), nullptr) << t.name;
    ASSERT_EQ(read_all(*file, *file->find(t.name)), t.data) << t.name;
  }
}

TEST(GgufReader, OpensTheTinyLlamaInEveryFormat) {
  for (const quant::FormatSpec* f : quant::formats()) {
    for (const bool tied : {true, false}) {
      const ScratchFile scratch;
      malform::TinyLlamaOptions options;
      options.format = f->name;
      if (f->block_size > 64) options.hidden_size = options.intermediate_size = 256;
      options.tied = tied;
      const GgufBuilder b = malform::make_tiny_llama(options);
      write_file(scratch.path(), b.bytes());
      const auto file = open_gguf(scratch.path());
      EXPECT_EQ(file->find("token_embd.weight")->format, f);
      EXPECT_EQ(file->find("token_embd.weight")->shape,
                (std::vector<int64_t>{malform::kTinyVocabSize, options.hidden_size}));
      EXPECT_EQ(file->find("output.weight") == nullptr, tied);
      EXPECT_EQ(file->metadata().strings("tokenizer.ggml.tokens")->size(), malform::kTinyVocabSize);
      use(*file);
    }
  }
}

TEST(GgufReader, RefusesEveryPrefix) {
  GgufBuilder b = malform::small_file();
  b.pad_last = false;
  const std::string whole = b.bytes();
  const ScratchFile scratch;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(scratch.path(), whole.substr(0, length));
    try {
      open_gguf(scratch.path());
      ADD_FAILURE() << "the first " << length << " of " << whole.size() << " bytes were accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadInput) << e.what();
    }
  }
  write_file(scratch.path(), whole);
  use(*open_gguf(scratch.path()));
}

TEST(GgufReader, LoadsOrRefusesEveryChangeOfOneByteOfTheHeader) {
  const GgufBuilder b = malform::small_file();
  const std::string whole = b.bytes();
  const std::size_t header = b.header().size();
  const ScratchFile scratch;
  write_file(scratch.path(), whole);
  int loaded = 0, refused = 0;
  for (std::size_t at = 0; at < header; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      if (static_cast<char>(byte) == whole[at]) continue;
      poke(scratch.path(), at, static_cast<char>(byte));
      try {
        const auto file = open_gguf(scratch.path());
        use(*file);
        ++loaded;
      } catch (const Error& e) {
        EXPECT_TRUE(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported) << e.what();
        ++refused;
      }
    }
    poke(scratch.path(), at, whole[at]);
  }
  EXPECT_GT(loaded, 0);  // a changed letter of a value is a different file, not a wrong one
  EXPECT_GT(refused, loaded);
}

TEST(GgufReader, SaysWhenThereIsNoFileOrAFolder) {
  const ScratchFile scratch;
  try {
    open_gguf(scratch.path());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kNotFound);
  }
  EXPECT_THROW(open_gguf(::testing::TempDir()), Error);
}

TEST(GgufReader, SaysWhenTheFileShrankAfterItWasOpened) {
  const ScratchFile scratch;
  write_file(scratch.path(), malform::small_file().bytes());
  const auto file = open_gguf(scratch.path());
  std::filesystem::resize_file(scratch.path(), file->find("b")->offset + 3);
  EXPECT_THROW(read_all(*file, *file->find("b")), Error);
}

TEST(GgufReader, OpensARealModel) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  const auto file = open_gguf(*path);
  EXPECT_TRUE(file->metadata().has("general.architecture"));
  ASSERT_NE(file->find("token_embd.weight"), nullptr);
  EXPECT_EQ(file->find("token_embd.weight")->rows(),
            static_cast<int64_t>(file->metadata().strings("tokenizer.ggml.tokens")->size()));
}

}  // namespace
}  // namespace kelda
