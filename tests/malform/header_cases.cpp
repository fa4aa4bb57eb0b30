#include <string>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/small_file.h"

namespace kelda::malform {
namespace {

std::string with_counts(uint64_t tensors, uint64_t keys) {
  GgufBuilder b = small_file();
  b.tensor_count = tensors;
  b.key_count = keys;
  return b.bytes();
}

std::string with_start(std::string_view magic, uint32_t version) {
  GgufBuilder b = small_file();
  b.magic = magic;
  b.version = version;
  return b.bytes();
}

}  // namespace

std::vector<Case> header_cases() {
  const Stage at = Stage::kContainer;
  std::vector<Case> cases = {
      {"empty", at, 2, "fewer than the magic number", ""},
      {"one_byte", at, 2, "fewer than the magic number", "G"},
      {"magic_only", at, 2, "byte 4: the version needs 4 bytes here", "GGUF"},
      {"magic_and_version", at, 2, "the tensor count needs 8 bytes here", std::string("GGUF\x03\0\0\0", 8)},
      {"magic_wrong", at, 2, "it starts with \"ABCD\", not \"GGUF\"", with_start("ABCD", 3)},
      {"magic_ggml", at, 2, "which is GGML", with_start("lmgg", 1)},
      {"magic_ggmf", at, 2, "which is GGMF", with_start("fmgg", 1)},
      {"magic_ggjt", at, 2, "which is GGJT", with_start("tjgg", 3)},
      {"magic_ggla", at, 2, "which is GGLA", with_start("algg", 1)},
      {"magic_reversed", at, 2, "GGUF with reversed byte order", with_start("FUGG", 3)},
      {"zip_archive", at, 2, "a zip archive", "PK\x03\x04 and more bytes"},
      {"lfs_pointer", at, 2, "Git LFS pointer",
       "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"},
      {"version_0", at, 2, "byte 4: the version is 0", with_start("GGUF", 0)},
      {"version_1", at, 2, "byte 4: the version is 1; GGUF versions 2 and 3", with_start("GGUF", 1)},
      {"version_2_is_fine", at, 0, "", with_start("GGUF", 2)},
      {"version_3_is_fine", at, 0, "", with_start("GGUF", 3)},
      {"version_4", at, 2, "byte 4: the version is 4; GGUF versions 2 and 3", with_start("GGUF", 4)},
      {"version_max", at, 2, "the version is 4294967295", with_start("GGUF", 0xFFFFFFFFu)},
      {"big_endian", at, 2, "byte 4: the version is stored big-endian (0x03000000)",
       with_start("GGUF", 0x03000000u)},
      {"keys_one_too_many", at, 2, "the name of tensor 0 holds a string of", with_counts(2, 4)},
      {"tensors_one_too_many", at, 2, "tensor 2", with_counts(3, 3)},
      {"keys_above_limit", at, 2, "the metadata count is 65537; at most 65536", with_counts(2, 65537),
       4 << 20},
      {"tensors_above_limit", at, 2, "the tensor count is 131073; at most 131072", with_counts(131073, 3),
       8 << 20},
  };
  for (const int bits : {31, 32, 61, 63}) {
    const uint64_t n = uint64_t{1} << bits;
    const std::string says = std::to_string(n) + ", but only ";
    cases.push_back({"tensor_count_2_" + std::to_string(bits), at, 2, "byte 8: the tensor count is " + says,
                     with_counts(n, 3)});
    cases.push_back({"key_count_2_" + std::to_string(bits), at, 2, "byte 16: the metadata count is " + says,
                     with_counts(2, n)});
  }
  const std::string whole = small_file().bytes();
  for (const std::size_t length : {12, 23, 30, 60, 100, 200}) {
    cases.push_back({"cut_at_" + std::to_string(length), at, 2, "byte ", whole.substr(0, length)});
  }
  return cases;
}

}  // namespace kelda::malform
