#include <string>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/small_file.h"

namespace kelda::malform {
namespace {

// A small file with one more entry, of these bytes.
std::string with(std::string_view key, const std::string& value) {
  return small_file().add(key, value).bytes();
}

// A small file that ends with one more entry: the value's bytes are the file's last ones.
std::string ending_with(std::string_view key, const std::string& value) {
  GgufBuilder b = small_file().add(key, value);
  b.tensors.clear();
  return b.bytes();
}

std::string array_of_arrays(int depth) {
  std::string value = raw(kArrayId);
  for (int i = 0; i < depth; ++i) value += raw(kArrayId) + raw(uint64_t{1});
  return value + raw(type_id<uint8_t>()) + raw(uint64_t{1}) + raw(uint8_t{0});
}

void add_key_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  const std::string value = scalar(uint32_t{1});
  cases.push_back({"key_empty", at, 2, "the key of metadata entry 3 is empty", with("", value)});
  cases.push_back(
      {"key_twice", at, 2, "metadata key \"test.number\" appears twice", with("test.number", value)});
  cases.push_back({"key_64_kib", at, 2, "holds a string of 65536 bytes; at most 65535",
                   with(std::string(65536, 'k'), value)});
  cases.push_back({"key_longest_is_fine", at, 0, "", with(std::string(65535, 'k'), value)});
  cases.push_back({"key_invalid_utf8", at, 2, "\"test.\\xFF\" is not valid UTF-8", with("test.\xFF", value)});
  cases.push_back({"key_overlong_utf8", at, 2, "is not valid UTF-8", with("test.\xC0\xAF", value)});
  cases.push_back({"key_surrogate", at, 2, "is not valid UTF-8", with("test.\xED\xA0\x80", value)});
  cases.push_back({"key_with_nul", at, 2, "\"test.\\x00end\" contains a control character",
                   with(std::string_view("test.\0end", 9), value)});
  cases.push_back(
      {"key_with_escape", at, 2, "\"\\x1B[2J\" contains a control character", with("\x1B[2J", value)});
  cases.push_back({"key_with_c1_control", at, 2, "\"test.\\xC2\\x9B2J\" contains a control character",
                   with("test.\xC2\x9B"
                        "2J",
                        value)});
  cases.push_back({"string_with_escapes_is_fine", at, 0, "",
                   with("s", scalar("\x1B[2J\xC2\x9B"
                                    "2J\x9B"))});
  for (const auto& [name, length] :
       {std::pair<const char*, uint64_t>{"2_63", uint64_t{1} << 63}, {"max", ~uint64_t{0}}}) {
    std::string bytes = small_file().header();
    bytes.replace(24, 8, raw(length));  // the first key's length
    cases.push_back(
        {std::string("key_length_") + name, at, 2,
         "byte 24: the key of metadata entry 0 holds a string of " + std::to_string(length) + " bytes",
         bytes});
  }
}

void add_string_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  const std::string type = raw(type_id<std::string>());
  cases.push_back({"string_empty_is_fine", at, 0, "", with("s", scalar(""))});
  cases.push_back({"string_not_utf8_is_fine", at, 0, "", with("s", scalar("\xFF\xFE"))});
  cases.push_back({"string_length_2_63", at, 2,
                   "metadata key \"s\" holds a string of 9223372036854775808 bytes",
                   with("s", type + raw(uint64_t{1} << 63))});
  cases.push_back({"string_length_max", at, 2,
                   "metadata key \"s\" holds a string of 18446744073709551615 bytes",
                   with("s", type + raw(~uint64_t{0}))});
  const std::string file = with("s", type + raw(uint64_t{0}));
  cases.push_back({"string_length_file_plus_1", at, 2, "metadata key \"s\" holds a string of",
                   with("s", type + raw(uint64_t{file.size() + 1}))});
  cases.push_back({"string_ends_with_file", at, 2,
                   "metadata key \"s\" holds a string of 4 bytes, but only 3 are left",
                   ending_with("s", type + raw(uint64_t{4}) + "abc")});
  const uint64_t long_text = 100 << 20;
  cases.push_back(
      {"template_100_mb", at, 2,
       "metadata key \"tokenizer.chat_template\" holds a string of 104857600 bytes; at most 16777216",
       ending_with("tokenizer.chat_template", type + raw(long_text)), long_text + 4096});
}

void add_value_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  cases.push_back({"value_type_13", at, 2, "metadata key \"v\" has the unknown value type 13",
                   with("v", raw(uint32_t{13}))});
  cases.push_back({"value_type_max", at, 2, "unknown value type 4294967295", with("v", raw(0xFFFFFFFFu))});
  cases.push_back(
      {"bool_2", at, 2, "metadata key \"v\" is a bool stored as 2", with("v", raw(type_id<bool>()) + '\2')});
  cases.push_back({"bool_in_array_255", at, 2, "is a bool stored as 255",
                   with("v", raw(kArrayId) + raw(type_id<bool>()) + raw(uint64_t{2}) + "\1\xFF")});
  cases.push_back({"value_cut", at, 2, "metadata key \"v\" needs 8 bytes here, but only 4 are left",
                   ending_with("v", raw(type_id<uint64_t>()) + raw(uint32_t{0}))});
  cases.push_back(
      {"value_missing", at, 2, "metadata key \"v\" needs 4 bytes here, but only 0", ending_with("v", "")});
}

void add_array_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  const auto counted = [](uint32_t type, uint64_t count) { return raw(kArrayId) + raw(type) + raw(count); };
  cases.push_back({"array_empty_is_fine", at, 0, "", with("v", array<float>({}))});
  cases.push_back({"array_type_13", at, 2, "metadata key \"v\" is an array of unknown type 13",
                   with("v", counted(13, 1))});
  for (const int depth : {1, 100, 10000}) {
    cases.push_back({"array_depth_" + std::to_string(depth), at, 2,
                     "metadata key \"v\" is an array of arrays", with("v", array_of_arrays(depth))});
  }
  for (const int bits : {31, 32, 61, 63}) {
    const uint64_t n = uint64_t{1} << bits;
    for (const auto& [name, type] : {std::pair<const char*, uint32_t>{"u8", 0}, {"string", 8}, {"f64", 12}}) {
      cases.push_back({std::string("array_of_") + name + "_2_" + std::to_string(bits), at, 2,
                       "metadata key \"v\" is an array of " + std::to_string(n) + " items, but only",
                       with("v", counted(type, n))});
    }
  }
  // 2^61 + 1 items of 8 bytes: the product wraps to 8.
  cases.push_back({"array_product_wraps", at, 2, "is an array of 2305843009213693953 items",
                   with("v", counted(12, (uint64_t{1} << 61) + 1) + raw(1.0))});
  cases.push_back({"array_above_limit", at, 2, "is an array of 4194305 items; at most 4194304",
                   ending_with("v", counted(0, (1 << 22) + 1)), 8 << 20});
  cases.push_back({"array_string_cut", at, 2,
                   "metadata key \"v\" holds a string of 9 bytes, but only 8 are left",
                   ending_with("v", counted(8, 2) + raw(uint64_t{9}) + "12345678")});
}

void add_alignment_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  for (const uint32_t good : {8u, 16u, 64u, 4096u}) {
    GgufBuilder b = small_file().add("general.alignment", scalar(good));
    b.alignment = good;
    cases.push_back({"alignment_" + std::to_string(good) + "_is_fine", at, 0, "", b.bytes()});
    b.pad_last = false;
    cases.push_back({"alignment_" + std::to_string(good) + "_unpadded_end_is_fine", at, 0, "", b.bytes()});
  }
  for (const uint32_t bad : {0u, 1u, 3u, 4u, 48u, 1u << 21, 1u << 31, 0xFFFFFFFFu}) {
    cases.push_back({"alignment_" + std::to_string(bad), at, 2,
                     "metadata key \"general.alignment\" is " + std::to_string(bad) +
                         "; allowed are the powers of two from 8",
                     with("general.alignment", scalar(bad))});
  }
  const std::string says = "metadata key \"general.alignment\" is of type ";
  cases.push_back({"alignment_u64", at, 2, says + "u64; u32 is required",
                   with("general.alignment", scalar(uint64_t{32}))});
  cases.push_back({"alignment_i32", at, 2, says + "i32; u32 is required",
                   with("general.alignment", scalar(int32_t{32}))});
  cases.push_back(
      {"alignment_string", at, 2, says + "string; u32 is required", with("general.alignment", scalar("32"))});
  cases.push_back({"alignment_array", at, 2, says + "array of u32; u32 is required",
                   with("general.alignment", array<uint32_t>({32}))});
}

void add_split_cases(std::vector<Case>& cases) {
  const Stage at = Stage::kContainer;
  const auto split = [](uint16_t count, uint16_t no, int32_t tensors) {
    GgufBuilder b = small_file();
    b.add("split.count", scalar(count));
    b.add("split.no", scalar(no));
    b.add("split.tensors.count", scalar(tensors));
    return b.bytes();
  };
  cases.push_back({"split_part", at, 2, "metadata key \"split.count\" is 3", split(3, 0, 6)});
  cases.push_back({"split_single_is_fine", at, 0, "", split(1, 0, 2)});
  cases.push_back({"split_merged_is_fine", at, 0, "", split(0, 0, 2)});
  cases.push_back({"split_no_beyond_count", at, 2, "metadata key \"split.no\" is 5", split(1, 5, 2)});
  cases.push_back(
      {"split_tensors_contradict", at, 2, "metadata key \"split.tensors.count\" is 9", split(1, 0, 9)});
  cases.push_back({"split_count_string", at, 2, "metadata key \"split.count\" is of type string",
                   with("split.count", scalar("3"))});
}

}  // namespace

std::vector<Case> metadata_cases() {
  std::vector<Case> cases;
  add_key_cases(cases);
  add_string_cases(cases);
  add_value_cases(cases);
  add_array_cases(cases);
  add_alignment_cases(cases);
  add_split_cases(cases);
  return cases;
}

}  // namespace kelda::malform
