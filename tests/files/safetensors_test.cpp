#include "files/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/safetensors_builder.h"

namespace kelda {
namespace {

using malform::index_of;
using malform::SafetensorsBuilder;
using malform::write_file;

std::string read_all(const Safetensors& file, const StoredTensor& t) {
  std::string data(t.bytes, '\0');
  file.read(t, 0, std::as_writable_bytes(std::span(data.data(), data.size())));
  return data;
}

ErrorCode refusal(const std::filesystem::path& path, std::string* message = nullptr) {
  try {
    Safetensors::open(path);
  } catch (const Error& e) {
    if (message != nullptr) *message = e.what();
    return e.code();
  }
  ADD_FAILURE() << path << " was accepted";
  return ErrorCode::kInternal;
}

// What may be asked of any file that opened.
void use(const Safetensors& file) {
  for (std::size_t i = 0; i < file.tensors().size(); ++i) {
    const StoredTensor& t = file.tensors()[i];
    if (i > 0) {
      ASSERT_LT(file.tensors()[i - 1].name, t.name);
    }
    ASSERT_EQ(file.find(t.name), &t);
    ASSERT_LT(t.file, file.n_files());
    ASSERT_EQ(read_all(file, t).size(), t.bytes);
  }
}

SafetensorsBuilder one_of_two(const std::string& name) {
  SafetensorsBuilder b;
  b.metadata = "{\"of\":\"" + name + "\"}";
  b.tensors = {{name + ".y", "U8", {3}, name + "yy"}, {name + ".x", "I16", {1}, name + "x"}};
  return b;
}

TEST(Safetensors, ReadsOneFile) {
  const ScratchFile scratch;
  const auto b = malform::small_safetensors();
  write_file(scratch.path(), b.bytes());
  const Safetensors file = Safetensors::open(scratch.path());
  EXPECT_EQ(file.n_files(), 1U);
  EXPECT_EQ(file.file_bytes(), b.bytes().size());
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), b.tensors.size());
  for (const auto& t : b.tensors) {
    ASSERT_NE(file.find(t.name), nullptr);
    EXPECT_EQ(file.find(t.name)->shape, t.shape);
    EXPECT_EQ(read_all(file, *file.find(t.name)), t.data);
  }
  EXPECT_EQ(file.find(""), nullptr);
  EXPECT_EQ(file.find("zz"), nullptr);
}

TEST(Safetensors, ReadsPartsOfATensor) {
  const ScratchFile scratch;
  const auto b = malform::small_safetensors();
  write_file(scratch.path(), b.bytes());
  const Safetensors file = Safetensors::open(scratch.path());
  std::string part(3, '\0');
  file.read(*file.find("a"), 29, std::as_writable_bytes(std::span(part.data(), part.size())));
  EXPECT_EQ(part, b.tensors[0].data.substr(29));
}

TEST(Safetensors, ReadsAShardedModelByItsIndexAndByItsFolder) {
  const ScratchFolder folder;
  const auto first = one_of_two("a"), second = one_of_two("b");
  write_file(folder.path() / "1.safetensors", first.bytes());
  write_file(folder.path() / "2.safetensors", second.bytes());
  const auto index_path = folder.path() / "model.safetensors.index.json";
  write_file(index_path, index_of({{"b.x", "2.safetensors"},
                                   {"b.y", "2.safetensors"},
                                   {"a.x", "1.safetensors"},
                                   {"a.y", "1.safetensors"}}));
  for (const auto& path : {folder.path(), index_path}) {
    const Safetensors file = Safetensors::open(path);
    EXPECT_EQ(file.n_files(), 2U);
    EXPECT_EQ(file.file_bytes(), first.bytes().size() + second.bytes().size());
    EXPECT_EQ(file.metadata().at("of"), "a");
    ASSERT_EQ(file.tensors().size(), 4U);
    EXPECT_EQ(file.find("a.x")->file, 0U);
    EXPECT_EQ(file.find("b.x")->file, 1U);
    EXPECT_EQ(read_all(file, *file.find("a.y")), "ayy");
    EXPECT_EQ(read_all(file, *file.find("b.y")), "byy");
    EXPECT_EQ(read_all(file, *file.find("b.x")), "bx");
    use(file);
  }
}

TEST(Safetensors, PrefersTheIndexOfAFolderToItsSingleFile) {
  const ScratchFolder folder;
  std::string message;
  EXPECT_EQ(refusal(folder.path(), &message), ErrorCode::kNotFound);
  EXPECT_NE(message.find("holds neither model.safetensors.index.json nor model.safetensors"),
            std::string::npos);
  write_file(folder.path() / "model.safetensors", malform::small_safetensors().bytes());
  EXPECT_EQ(Safetensors::open(folder.path()).tensors().size(), 4U);
  write_file(folder.path() / "1.safetensors", one_of_two("a").bytes());
  write_file(folder.path() / "model.safetensors.index.json",
             index_of({{"a.x", "1.safetensors"}, {"a.y", "1.safetensors"}}));
  EXPECT_EQ(Safetensors::open(folder.path()).tensors().size(), 2U);
}

TEST(Safetensors, ShardsThatContradictTheIndexAreRefused) {
  const ScratchFolder folder;
  write_file(folder.path() / "1.safetensors", one_of_two("a").bytes());
  const auto index_path = folder.path() / "m.safetensors.index.json";
  std::string message;
  write_file(index_path, index_of({{"a.x", "1.safetensors"}}));
  EXPECT_EQ(refusal(index_path, &message), ErrorCode::kBadInput);
  EXPECT_EQ(message,
            index_path.string() + ": \"1.safetensors\" holds tensor \"a.y\", which the index does not name");
  write_file(index_path, index_of({{"a.x", "1.safetensors"}, {"a.y", "2.safetensors"}}));
  EXPECT_EQ(refusal(index_path, &message), ErrorCode::kNotFound);
  EXPECT_EQ(message,
            (folder.path() / "2.safetensors").string() + ": no such file; m.safetensors.index.json names it");
}

TEST(Safetensors, SaysWhenThereIsNoFile) {
  const ScratchFile scratch;
  EXPECT_EQ(refusal(scratch.path()), ErrorCode::kNotFound);
}

TEST(Safetensors, SaysWhenTheFileShrankAfterItWasOpened) {
  const ScratchFile scratch;
  const auto b = malform::small_safetensors();
  write_file(scratch.path(), b.bytes());
  const Safetensors file = Safetensors::open(scratch.path());
  std::filesystem::resize_file(scratch.path(), b.bytes().size() - 1);
  EXPECT_THROW(read_all(file, *file.find("one")), Error);
}

TEST(Safetensors, LoadsOrRefusesEveryChangeOfOneByteOfTheHeader) {
  const auto b = malform::small_safetensors();
  const std::string whole = b.bytes();
  const ScratchFile scratch;
  write_file(scratch.path(), whole);
  std::fstream out(scratch.path(), std::ios::binary | std::ios::in | std::ios::out);
  const auto poke = [&](std::size_t at, char byte) {
    out.seekp(static_cast<std::streamoff>(at));
    out.put(byte).flush();
  };
  int loaded = 0, refused = 0;
  for (std::size_t at = 0; at < 8 + b.header().size(); ++at) {
    for (int byte = 0; byte < 256; byte += 5) {
      if (static_cast<char>(byte) == whole[at]) continue;
      poke(at, static_cast<char>(byte));
      try {
        use(Safetensors::open(scratch.path()));
        ++loaded;
      } catch (const Error& e) {
        EXPECT_TRUE(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported) << e.what();
        ++refused;
      }
    }
    poke(at, whole[at]);
  }
  EXPECT_GT(loaded, 0);  // another letter of a name is a different file, not a wrong one
  EXPECT_GT(refused, loaded);
}

}  // namespace
}  // namespace kelda
