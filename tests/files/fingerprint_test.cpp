#include "files/fingerprint.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "files/gguf_writer.h"
#include "files/scratch_file.h"

namespace kelda {
namespace {

struct Content {
  Metadata metadata;
  std::vector<TensorInfo> tensors;
  std::vector<std::byte> data;
};

// Two tensors, of which the second one is longer than its samples.
Content content() {
  Content c;
  c.metadata.add("general.architecture", std::string("llama"));
  c.metadata.add("a.flags", std::vector<bool>{true, false});
  c.metadata.add("a.names", std::vector<std::string>{"x", "yz"});
  c.metadata.add("a.numbers", std::vector<float>{1.5f, -2});
  for (const auto& [name, n] : {std::pair<const char*, int64_t>{"one", 64}, {"two", 8192}}) {
    TensorInfo t;
    t.name = name;
    t.shape = {n / 32, 32};
    t.format = quant::find_format("f32");
    t.gguf_type = t.format->gguf_type;
    c.tensors.push_back(t);
  }
  c.data.resize((64 + 8192) * 4);
  for (std::size_t i = 0; i < c.data.size(); ++i) c.data[i] = static_cast<std::byte>(i * 31 % 251);
  return c;
}

std::string fingerprint_of(const Content& c) {
  const ScratchFile file;
  GgufWriter writer(file.path(), c.metadata, c.tensors);
  writer.append(c.data);
  writer.commit();
  return fingerprint(*open_gguf(file.path()));
}

TEST(Fingerprint, IsOfTheContentAndNotOfTheFile) {
  const std::string expected = fingerprint_of(content());
  EXPECT_TRUE(is_sha256_hex(expected));
  EXPECT_EQ(fingerprint_of(content()), expected);
}

TEST(Fingerprint, EveryPartOfTheHeaderCounts) {
  std::vector<std::string> all = {fingerprint_of(content())};
  const auto changed = [&](auto change) {
    Content c = content();
    change(c);
    all.push_back(fingerprint_of(c));
  };
  changed([](Content& c) { c.metadata.set("general.architecture", std::string("qwen2")); });
  changed([](Content& c) { c.metadata.add("b", uint32_t{0}); });
  changed([](Content& c) { c.metadata.add("b", int32_t{0}); });
  changed([](Content& c) { c.metadata.set("a.flags", std::vector<bool>{false, true}); });
  changed([](Content& c) { c.metadata.set("a.names", std::vector<std::string>{"xy", "z"}); });
  changed([](Content& c) { c.metadata.set("a.numbers", std::vector<float>{1.5f, 2}); });
  changed([](Content& c) { c.tensors[0].name = "three"; });
  changed([](Content& c) { c.tensors[1].shape = {128, 64}; });
  changed([](Content& c) { std::swap(c.tensors[0].name, c.tensors[1].name); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " and " << j;
  }
}

TEST(Fingerprint, SamplesOfEveryTensorCount) {
  const std::string expected = fingerprint_of(content());
  const std::size_t second = 64 * 4, bytes = 8192 * 4, middle = second + bytes / 2;
  // The first tensor is short: all of it. Of the second one the ends and the middle.
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{100}, second - 1, second, second + kSampleBytes - 1,
        middle - kSampleBytes / 2, middle, second + bytes - kSampleBytes, second + bytes - 1}) {
    Content c = content();
    c.data[at] ^= std::byte{1};
    EXPECT_NE(fingerprint_of(c), expected) << at;
  }
  Content c = content();
  c.data[second + kSampleBytes] ^= std::byte{1};
  EXPECT_EQ(fingerprint_of(c), expected) << "as documented: not all bytes are read";
}

}  // namespace
}  // namespace kelda
